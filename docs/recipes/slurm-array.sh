#!/usr/bin/env bash
#SBATCH --job-name=acp-journeys
#SBATCH --array=1-4
#SBATCH --ntasks=1
#SBATCH --time=01:00:00
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=out/shard-%a.log
# The shards of a matrix as a Slurm job array, on a file system that all nodes see:
#
#   mkdir -p out
#   shards=$(sbatch --parsable --wait slurm-array.sh matrix.yaml out)
#   acp-journeys merge out/shard-* --json out/summary.json
#
# A node that fails takes its shard with it; Slurm puts that into the queue again (--requeue), and the
# shard does what is still missing. A shard with failed agents is done: that is a verdict.
set -uo pipefail

matrix=${1:?name the file of the matrix}
out=${2:?name the folder for the results}
shard=$SLURM_ARRAY_TASK_ID

export ACP_JOURNEYS_ISOLATION="${ACP_JOURNEYS_ISOLATION:-a Slurm job}"
acp-journeys matrix "$matrix" --html --shard "$shard/$SLURM_ARRAY_TASK_COUNT" --out "$out/shard-$shard"
status=$?
[ "$status" -eq 1 ] && exit 0
# It could not run: once more, on another day; but not for ever.
if [ "$status" -ne 0 ] && [ "${SLURM_RESTART_COUNT:-0}" -lt 2 ]; then
    scontrol requeue "${SLURM_ARRAY_JOB_ID}_$shard"
fi
exit "$status"
