#!/usr/bin/env bash
# Table 3.3 of the thesis (section 3.5.4): a corpus that the mixture has not seen, of which training has a part of the rows, from
# the dense encoder and from CA-MTL with a fresh head and the task embedding that new_corpus.yaml names, nothing frozen (section
# 3.5). PARTS: the parts. CORPUS: which one; NEW_CORPUS_FILE=new_corpora_original.yaml has the thesis's snli and scitail. JOBS
# runs at a time. Tables: $WORK/low_resource-1.md and so on
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"
SAMPLING=${SAMPLING:-uncertainty}
EPOCHS=${EPOCHS:-5}
NEW_CORPUS_FILE=${NEW_CORPUS_FILE:-$here/new_corpus.yaml}
CORPUS=${CORPUS:-snli}
fresh_head=$WORK/low_resource/corpora.yaml
if [[ $TABLES_ONLY == no ]]; then
    mkdir -p "$WORK/low_resource"
    sed '/^    head_from: /d' "$NEW_CORPUS_FILE" >"$fresh_head"
fi
if [[ ! -e $DATA_BIN/$CORPUS ]]; then binarise "$NEW_CORPUS_FILE" "$DATA_BIN" --only-corpora "$CORPUS"; fi
glue "$WORK/glue/ca_mtl-$SAMPLING" "ca_mtl_$SIZE" "$SAMPLING"
all_done
for part in ${PARTS:-0.1% 1% 10% 100%}; do
    rows=()
    folder=$WORK/low_resource/${part%\%}
    for variant in dense ca_mtl; do
        for seed in $SEEDS; do
            start=$ENCODER
            if [[ $variant == ca_mtl ]]; then
                start=$WORK/glue/ca_mtl-$SAMPLING/seed$seed/joint/checkpoint_last.pt
            fi
            # shellcheck disable=SC2086  # a list of words
            at_once "low_resource-${part%\%}-$variant-seed$seed" "$PYTHON" "$root/scripts/two_stage.py" "$folder/$variant" \
                "$DATA_BIN" --corpora "$fresh_head" --arch "${variant}_$SIZE" --single-arch "${variant}_$SIZE" \
                --init-from "$start" --stages single --seeds "$seed" --only-corpora "$CORPUS" --max-epoch "$EPOCHS" \
                --patience 0 --device "$DEVICE" --discard-models \
                --single="--train-rows $CORPUS=$part --freeze none" \
                -- --loss-scaling none --batch-size "$BATCH" --lr "$LR" $OPTIONS
        done
        add_row "$variant" "$folder/$variant" single
    done
    published=()
    if [[ -e $here/table3.3-${part%\%}.json ]]; then published=(--published "$here/table3.3-${part%\%}.json"); fi
    show_table "low_resource-${part%\%}" --baseline dense "${published[@]}"
done
