#!/usr/bin/env bash
# Table 7 of the paper (appendix A.1.2): corpora drawn alike, or by their sizes, as everywhere else. Table: $WORK/sampling.md
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"
two_stage "$WORK/uniform" "mt_tag_$SIZE" "$CORPORA_FILE" "$STAGES" "$SEEDS" --only-corpora "$CORPORA" --small "$SMALL" \
    --joint="--corpora-per-batch $DRAWS --sampling uniform $JOINT_OPTIONS"
glue mt_tag
add_rows uniform "$WORK/uniform" "$STAGES"
add_rows natural "$WORK/glue/mt_tag" "$STAGES"
show_table sampling --small "$SMALL" --columns "$CORPORA" --published "$here/table7.json"
