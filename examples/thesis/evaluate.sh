#!/usr/bin/env bash
# The scores of a trained model: bash evaluate.sh [CHECKPOINT [SPLIT]]
# By default of train.sh's best checkpoint (section 3.4).
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"
checkpoint=${1:-$WORK/checkpoints/checkpoint_best.pt}
show "$PYTHON" -m skill_plugin evaluate "$checkpoint" "$DATA_BIN" --split "${2:-valid}" --device "$DEVICE" \
    --json "$(dirname "$checkpoint")/results.json"
