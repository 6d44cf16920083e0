#!/usr/bin/env bash
# The last rung of the ladder as one model, the best on the valid splits, and its scores:
# bash train.sh [OPTIONS OF fairseq-train…]. Run it again after a stop, and it goes on.
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"
if [[ $DEVICE == cpu ]]; then OPTIONS+=" --cpu"; fi
settings=$(preset "$PRESET")
# shellcheck disable=SC2086  # lists of words
show "$PYTHON" -m fairseq_cli.train "$DATA_BIN" --user-dir "$root/skill_plugin" $settings \
    --corpora "$CORPORA_FILE" --only-corpora "$(corpora_of ${TASKS/xnli/xnli-mix})" --arch "${VARIANT}_$SIZE" \
    --init-from "$ENCODER" $accumulated --max-length "$MAX_LENGTH" --lr "$LR" --max-update "$UPDATES" --max-epoch "$EPOCHS" \
    --seed "${SEEDS%% *}" --save-dir "$WORK/checkpoints" --save-interval-updates "$INTERVAL" --no-progress-bar $OPTIONS "$@"
bash "$here/evaluate.sh"
