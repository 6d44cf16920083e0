#!/usr/bin/env bash
# Tables 4 and 11 of the paper (section 6.1): single corpora and MT-TaG from encoders of several sizes. SIZES names them, and
# $WORK/encoder-SIZE.pt is each one's file; of the size that SIZE says it is ENCODER. Table: $WORK/sizes.md
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"
for size in ${SIZES:-small base large}; do
    folder=$WORK/sizes/$size encoder=$WORK/encoder-$size.pt
    if [[ $size == "$SIZE" ]]; then encoder=$ENCODER; fi
    ENCODER=$encoder two_stage "$folder" "mt_tag_$size" "$CORPORA_FILE" "single $STAGES" "$SEEDS" \
        --only-corpora "$CORPORA" --small "$SMALL"
    add_rows "$size, single" "$folder" single
    add_rows "$size, mt_tag" "$folder" "$STAGES"
done
show_table sizes --small "$SMALL" --columns "$CORPORA" --published "$here/table11.json"
