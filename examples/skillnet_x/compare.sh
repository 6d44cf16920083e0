#!/usr/bin/env bash
# Table 5 of the paper: each corpus by itself, the dense model, a mixture of 10 experts, and both models with skills, without
# and with skill pre-training (PRETRAINING=no leaves it out); JOBS runs at a time. VARIANTS: models to compare. Table:
# $WORK/compare.md, with the paper's numbers below ours and the difference from `dense`
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"
two_stage "$WORK/table5/single" "dense_$SIZE" "$ENCODER" single 1
add_row single "$WORK/table5/single" single
for variant in $VARIANTS; do
    table5 "$variant"
    add_row "$variant" "$WORK/table5/$variant" joint
done
for variant in $VARIANTS; do
    if [[ ${PRETRAINING:-yes} == no || $variant != skillnet_x_* ]]; then continue; fi
    start=$WORK/pretrained/${variant}_$SIZE/checkpoint_best.pt
    if [[ ! -e $start && $TABLES_ONLY == no ]]; then ARCH=${variant}_$SIZE PRETRAINED=$start bash "$here/pretrain.sh"; fi
    two_stage "$WORK/table5/$variant-pretrained" "${variant}_$SIZE" "$start" joint "$ALPHA"
    add_row "$variant, pre-trained skills" "$WORK/table5/$variant-pretrained" joint
done
baseline=()
if [[ " $VARIANTS " == *" dense "* ]]; then baseline=(--baseline dense); fi
show_table compare "${baseline[@]}" --published "$here/table5.json"
