#!/usr/bin/env bash
# What the gate's factor costs (equation 6): an expert's output is multiplied by its probability, about 1/4 at the start,
# so that the pretrained function is lost; `rescaled` keeps it. VARIANTS: models to compare, of which `dense` has no gate. Tables:
# $WORK/scale.md after fine-tuning, as compare.sh, and $WORK/scale-joint.md after joint training
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"
for variant in $VARIANTS; do
    glue "$variant"
    if [[ $variant == dense ]]; then continue; fi
    two_stage "$WORK/rescaled/$variant" "${variant}_$SIZE" "$CORPORA_FILE" "$STAGES" "$SEEDS" \
        --only-corpora "$CORPORA" --small "$SMALL" --model="--expert-scale rescaled"
done

table() { # NAME STAGE
    local baseline=() variant
    rows=()
    for variant in $VARIANTS; do
        add_rows "$variant" "$WORK/glue/$variant" "$2"
        if [[ $variant != dense ]]; then add_rows "$variant, rescaled" "$WORK/rescaled/$variant" "$2"; fi
    done
    if [[ " $VARIANTS " == *" dense "* ]]; then baseline=(--baseline "dense, $(title_of "$2")"); fi
    show_table "$1" --small "$SMALL" --columns "$CORPORA" "${baseline[@]}"
}

if [[ " $STAGES " == *" joint "* ]]; then table scale-joint joint; fi
if [[ " $STAGES " == *" finetune "* ]]; then table scale finetune; fi
