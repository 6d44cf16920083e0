#!/usr/bin/env bash
# The scores of a trained model: bash evaluate.sh [CHECKPOINT [SPLIT]]
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"
checkpoint=${1:-$WORK/joint/seed${SEEDS%% *}/joint/checkpoint_last.pt}
show "$PYTHON" -m skill_plugin evaluate "$checkpoint" "$DATA_BIN" --split "${2:-valid}" --device "$DEVICE" \
    --json "$(dirname "$checkpoint")/results.json"
