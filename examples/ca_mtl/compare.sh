#!/usr/bin/env bash
# CA-MTL beside the dense model, with each way of drawing corpora (section 3.5.1). Table: $WORK/compare.md
# VARIANTS, SAMPLINGS: what to compare.
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"
for variant in ${VARIANTS:-dense ca_mtl}; do
    for sampling in ${SAMPLINGS:-uniform proportional uncertainty}; do
        glue "$WORK/glue/$variant-$sampling" "${variant}_$SIZE" "$sampling"
        add_row "$variant, $sampling" "$WORK/glue/$variant-$sampling"
    done
done
show_table compare --columns "$CORPORA"
