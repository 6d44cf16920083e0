#!/usr/bin/env bash
# The six corpora together as one model, and its scores: bash train.sh [OPTIONS OF fairseq-train…]
# ARCH is skillnet_$SIZE by default; INITIAL=$PRETRAINED starts from pre-trained skills. Run it again after a stop, and it goes on.
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"
if [[ $DEVICE == cpu ]]; then OPTIONS+=" --cpu"; fi
settings=$(preset skillnet)
# shellcheck disable=SC2086  # lists of words
show "$PYTHON" -m fairseq_cli.train "$DATA_BIN" --user-dir "$root/skill_plugin" $settings --corpora "$CORPORA_FILE" \
    --arch "${ARCH:-skillnet_$SIZE}" --init-from "${INITIAL:-$ENCODER}" --sampling-alpha "$ALPHA" --lr "$LR" \
    --total-num-update "$UPDATES" --warmup-updates $((UPDATES / 10)) --max-update "$UPDATES" --batch-size "$BATCH" \
    --seed "${SEEDS%% *}" --save-dir "$WORK/checkpoints" --no-progress-bar $OPTIONS "$@"
bash "$here/evaluate.sh" "$WORK/checkpoints/checkpoint_last.pt"
