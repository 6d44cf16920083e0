#!/usr/bin/env bash
# Ways of drawing corpora (section 3.5.1, equation 3.6), for the dense model and for CA-MTL; JOBS runs at a time. The thesis's
# figure 3.4 is of the dense model, all of which is trained: FREEZE="--freeze none". VARIANTS, SAMPLINGS: what to compare.
# Table: $WORK/sampling.md
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"
for variant in ${VARIANTS:-dense ca_mtl}; do
    for sampling in ${SAMPLINGS:-uniform proportional uncertainty}; do
        glue "$WORK/glue/$variant-$sampling" "${variant}_$SIZE" "$sampling" "${FREEZE:-}"
        add_row "$variant, $sampling" "$WORK/glue/$variant-$sampling"
    done
done
show_table sampling --columns "$CORPORA" --data-used
