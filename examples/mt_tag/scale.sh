#!/usr/bin/env bash
# What the gate's factor costs (equation 6): an expert's output is multiplied by its probability, about 1/4 at the start,
# so that the pretrained function is lost; `rescaled` keeps it. VARIANTS: models to compare. Table: $WORK/scale.md
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"
for variant in $VARIANTS; do
    if [[ $variant == dense ]]; then continue; fi  # has no gate
    glue "$variant"
    add_rows "$variant" "$WORK/glue/$variant" "$STAGES"
    two_stage "$WORK/rescaled/$variant" "${variant}_$SIZE" "$CORPORA_FILE" "$STAGES" "$SEEDS" \
        --only-corpora "$CORPORA" --small "$SMALL" --model="--expert-scale rescaled"
    add_rows "$variant, rescaled" "$WORK/rescaled/$variant" "$STAGES"
done
show_table scale --small "$SMALL" --columns "$CORPORA"
