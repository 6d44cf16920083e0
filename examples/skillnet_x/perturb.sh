#!/usr/bin/env bash
# Tables 6 and 7: other languages and other skills than the model was trained with: bash perturb.sh [CHECKPOINT [SPLIT]]
# The table of the English corpora is table 6, with the paper's averages beside. perturb.json and .png beside the checkpoint
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"
checkpoint=${1:-$WORK/checkpoints/checkpoint_best.pt}
show "$PYTHON" -m skill_plugin analyse perturb "$checkpoint" "$DATA_BIN" --split "${2:-valid}" --device "$DEVICE" \
    --only-corpora "${CORPORA:-}" --limit "${LIMIT:-0}" --beside "$here/table6.json" \
    --json "$(dirname "$checkpoint")/perturb.json" --plot "$(dirname "$checkpoint")/perturb.png"
