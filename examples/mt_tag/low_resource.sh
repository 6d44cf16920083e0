#!/usr/bin/env bash
# Table 2 of the paper (section 5.2): corpora that the mixture has not seen, of which training has a part of the rows. PARTS:
# the parts. Corpora are those of new_corpus.yaml, or of NEW_CORPORA_FILE: scitail.yaml has the paper's. JOBS runs at a time.
# Tables: $WORK/low_resource-1.md and so on
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"
NEW_CORPORA_FILE=${NEW_CORPORA_FILE:-$here/new_corpus.yaml}
NEW_CORPORA=${NEW_CORPORA:-snli,imdb}
if [[ ! -e $DATA_BIN/${NEW_CORPORA%%,*} ]]; then
    binarise "$NEW_CORPORA_FILE" "$DATA_BIN" --only-corpora "$NEW_CORPORA"
fi
for variant in $VARIANTS; do STAGES=joint glue "$variant"; done
all_done
for part in ${PARTS:-1% 10%}; do
    rows=()
    folder=$WORK/low_resource/${part%\%}
    two_stage "$folder/single" "dense_$SIZE" "$NEW_CORPORA_FILE" single "$SEEDS" --only-corpora "$NEW_CORPORA" \
        --single="--train-rows $part"
    add_rows single "$folder/single" single
    for variant in $VARIANTS; do
        for seed in $SEEDS; do
            ENCODER=$WORK/glue/$variant/seed$seed/joint/checkpoint_last.pt \
                two_stage "$folder/$variant" "${variant}_$SIZE" "$NEW_CORPORA_FILE" single "$seed" \
                --single-arch "${variant}_$SIZE" --only-corpora "$NEW_CORPORA" --single="--train-rows $part"
        done
        for seed in $SEEDS; do rows+=("$variant=$folder/$variant/seed$seed/single"); done
    done
    published=()
    if [[ -e $here/table2-${part%\%}.json ]]; then published=(--published "$here/table2-${part%\%}.json"); fi
    show_table "low_resource-${part%\%}" --baseline single "${published[@]}"
done
