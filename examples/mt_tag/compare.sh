#!/usr/bin/env bash
# Table 1 of the paper (section 5.1): single corpora, the dense mixture, one gate for all, a gate for each.
# VARIANTS: models to compare. Table: $WORK/compare.md
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"
# two_stage.py trains single corpora with the dense model, so that they are the same for all variants
two_stage "$WORK/glue/dense" "dense_$SIZE" "$here/corpora.yaml" single "$SEEDS" --only-corpora "$CORPORA" \
    --small "$SMALL"
add_rows single "$WORK/glue/dense" single
for variant in $VARIANTS; do
    glue "$variant"
    add_rows "$variant" "$WORK/glue/$variant" "$STAGES"
done
show_table compare --small "$SMALL" --columns "$CORPORA"
