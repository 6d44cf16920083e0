#!/usr/bin/env bash
# One model on the GLUE mixture, and its scores: bash train.sh [OPTIONS OF fairseq-train…]
# ARCH is mt_tag_$SIZE by default. Run it again after a stop, and it goes on.
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"
if [[ $DEVICE == cpu ]]; then OPTIONS+=" --cpu"; fi
# shellcheck disable=SC2086  # a list of words
show "$PYTHON" -m fairseq_cli.train "$DATA_BIN" --user-dir "$root/skill_plugin" --task multilingual_multitask \
    --corpora "$CORPORA_FILE" --only-corpora "$CORPORA" --arch "${ARCH:-mt_tag_$SIZE}" \
    --init-from "$ENCODER" --criterion multitask_cross_entropy --loss-scaling log-classes \
    --sampling proportional --optimizer skill_adam --lr "$LR" --clip-norm 1.0 --lr-scheduler polynomial_decay \
    --total-num-update "$UPDATES" --warmup-updates $((UPDATES / 10)) --max-update "$UPDATES" \
    --corpora-per-batch "$DRAWS" --batch-size "$BATCH" --head "$HEAD" --seed "${SEEDS%% *}" --save-dir "$WORK/checkpoints" --no-epoch-checkpoints \
    --save-interval-updates 1000 --keep-interval-updates 1 --no-progress-bar \
    --best-checkpoint-metric avg --maximize-best-checkpoint-metric $OPTIONS "$@"
bash "$here/evaluate.sh"
