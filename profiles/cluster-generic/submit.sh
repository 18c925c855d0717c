#!/bin/sh
# sbatch with these arguments, tried again for two minutes: it fails while SLURM's controller restarts.
for pause in 5 10 15 30 60; do
    sbatch "$@" && exit
    echo "sbatch failed, trying again in $pause s" >&2
    sleep $pause
done
exec sbatch "$@"
