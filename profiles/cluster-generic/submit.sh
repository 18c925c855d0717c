#!/bin/sh
# sbatch with these arguments, tried again for two minutes: it fails while SLURM's controller restarts. Ctrl-C in a
# terminal reaches this script, too: it ends the waiting, but not an sbatch whose job would then be nobody's.
exec 3>&1 # where the job's id goes, while the messages are kept
for pause in 5 10 15 30 60; do
    trap '' INT
    error=$(sbatch "$@" 2>&1 >&3) && exit
    trap - INT
    echo "$error" >&2
    case $error in
        *[Ii]nvalid* | *denied* | *"not permitted"* | *"not available"* | *"not be satisfied"*) exit 1 ;; # for ever
    esac
    echo "sbatch failed, trying again in $pause s" >&2
    sleep $pause
done
exec sbatch "$@"
