#!/usr/bin/env bash
# Table 3.10 of the thesis: how many layers may be frozen? And full-block attention. Table: $WORK/freezing.md
# SAMPLING: how corpora are drawn. The thesis's 0 % are the embeddings alone; `none` leaves these free too.
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"
SAMPLING=${SAMPLING:-uniform}
for freeze in ${FREEZES:-none embeddings bottom-quarter bottom-half full-block}; do
    folder=$WORK/freezing/$freeze-$SAMPLING
    case $freeze in
    bottom-half)  # the default: the model of the other recipes
        folder=$WORK/glue/ca_mtl-$SAMPLING
        glue "$folder" "ca_mtl_$SIZE" "$SAMPLING"
        ;;
    full-block) glue "$folder" "ca_mtl_$SIZE" "$SAMPLING" "--conditional-blocks full" ;;
    *) glue "$folder" "ca_mtl_$SIZE" "$SAMPLING" "--freeze $freeze" ;;
    esac
    add_row "$freeze" "$folder"
done
show_table freezing --columns "$CORPORA" --published "$here/table3.10.json"
