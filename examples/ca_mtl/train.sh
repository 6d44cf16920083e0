#!/usr/bin/env bash
# One model on the GLUE mixture, and its scores: bash train.sh [OPTIONS OF fairseq-train…]
# ARCH is ca_mtl_$SIZE by default, SAMPLING uncertainty. Run it again after a stop, and it goes on.
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"
if [[ $DEVICE == cpu ]]; then OPTIONS+=" --cpu"; fi
settings=$(preset ca_mtl)
# shellcheck disable=SC2086  # lists of words
show "$PYTHON" -m fairseq_cli.train "$DATA_BIN" --user-dir "$root/skill_plugin" $settings \
    --corpora "$CORPORA_FILE" --only-corpora "$CORPORA" --arch "${ARCH:-ca_mtl_$SIZE}" --init-from "$ENCODER" \
    ${SAMPLING:+--sampling "$SAMPLING"} --lr "$LR" --total-num-update "$UPDATES" \
    --warmup-updates $((UPDATES / 10)) --max-update "$UPDATES" --batch-size "$BATCH" --seed "${SEEDS%% *}" \
    --save-dir "$WORK/checkpoints" --no-progress-bar $OPTIONS "$@"
bash "$here/evaluate.sh"
