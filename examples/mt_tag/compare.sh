#!/usr/bin/env bash
# Table 1 of the paper (section 5.1): single corpora, the dense mixture, one gate for all, a gate for each; JOBS runs at a
# time. VARIANTS: models to compare. Tables: $WORK/compare.md has the stage that the paper reports, fine-tuning after joint
# training (section 4.5), with its numbers below ours and the difference from `dense`; $WORK/joint.md has joint training.
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"
# single corpora are trained with the dense model, the same for all variants
two_stage "$WORK/single" "dense_$SIZE" "$CORPORA_FILE" single "$SEEDS" --only-corpora "$CORPORA" --small "$SMALL"
for variant in $VARIANTS; do glue "$variant"; done

table() { # NAME STAGE: the rows of a stage, and single corpora above them
    local options=() variant
    rows=()
    add_rows single "$WORK/single" single
    for variant in $VARIANTS; do add_rows "$variant" "$WORK/glue/$variant" "$2"; done
    if [[ " $VARIANTS " == *" dense "* ]]; then options=(--baseline "dense, $(title_of "$2")"); fi
    if [[ $2 == finetune ]]; then options+=(--published "$here/table1.json"); fi
    show_table "$1" --small "$SMALL" --columns "$CORPORA" "${options[@]}"
}

if [[ " $STAGES " == *" joint "* ]]; then table joint joint; fi
if [[ " $STAGES " == *" finetune "* ]]; then table compare finetune; fi
