#!/bin/sh
# Says of the SLURM job $1: running, success or failed, the three words that Snakemake knows.
state=$(squeue --noheader --states=all --format=%T --jobs="$1" 2>&1)
case $state in
    COMPLETED) echo success ;;
    BOOT_FAIL | CANCELLED | DEADLINE | FAILED | NODE_FAIL | OUT_OF_MEMORY | PREEMPTED | TIMEOUT) echo failed ;;
    *"Invalid job id"*) echo failed ;; # SLURM has forgotten it: its output cannot be trusted
    *) echo running ;;                 # also when squeue had no answer, as while the controller restarts
esac
