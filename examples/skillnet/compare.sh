#!/usr/bin/env bash
# Table 3 of the slides: each corpus by itself, the dense model, a mixture of 7 experts of which a token has two, and SkillNet
# without and with sparse pre-training (PRETRAINING=no leaves it out); JOBS runs at a time. Table: $WORK/compare.md
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"
two_stage "$WORK/single" "dense_$SIZE" "$CORPORA_FILE" "$ENCODER" single --discard-models
add_row single "$WORK/single" single
for variant in dense moe_top2; do
    joint "$WORK/$variant" "${variant}_$SIZE" "$CORPORA_FILE" "$ENCODER" "$(baseline_options "$variant")"
    add_row "$variant" "$WORK/$variant"
done
joint "$WORK/joint"
add_row skillnet "$WORK/joint"
if [[ ${PRETRAINING:-yes} != no ]]; then
    pretrained
    joint "$WORK/joint-pretrained" "skillnet_$SIZE" "$CORPORA_FILE" "$PRETRAINED"
    add_row "skillnet, pre-trained skills" "$WORK/joint-pretrained"
fi
show_table compare --baseline dense --published "$here/table3.json"
