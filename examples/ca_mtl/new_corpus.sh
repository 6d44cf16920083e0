#!/usr/bin/env bash
# Section 3.7.4 of the thesis: which task embedding should a new corpus start from? All of them are scored before any
# training (table 3.8); then the new corpus is trained from the best, and from a random one. Tables:
# $WORK/transfer.json and $WORK/new_corpus.md
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"
SAMPLING=${SAMPLING:-uniform}
EPOCHS=${EPOCHS:-5}
PATIENCE=${PATIENCE:-2}                  # epochs without a better score
glue "$WORK/glue/ca_mtl-$SAMPLING" "ca_mtl_$SIZE" "$SAMPLING"
all_done
checkpoint=$WORK/glue/ca_mtl-$SAMPLING/seed${SEEDS%% *}/joint/checkpoint_last.pt
show "$PYTHON" -m skill_plugin analyse transfer --embeddings "$checkpoint" "$DATA_BIN" --corpus snli \
    --corpora "$here/new_corpus.yaml" --device "$DEVICE" --json "$WORK/transfer.json"
best=$("$PYTHON" -c 'import json, sys
start = json.load(open(sys.argv[1]))["ranking"][0]["embedding_from"]
print(start if isinstance(start, str) else "[" + ", ".join(start) + "]")' "$WORK/transfer.json")

mkdir -p "$WORK/new_corpus"
for choice in best random; do
    start=$best
    if [[ $choice == random ]]; then start=random; fi
    sed "s/embedding_from: mrpc.*/embedding_from: $start/" "$here/new_corpus.yaml" >"$WORK/new_corpus/$choice.yaml"
    # shellcheck disable=SC2086  # lists of words
    show "$PYTHON" "$root/scripts/two_stage.py" "$WORK/new_corpus/$choice" "$DATA_BIN" \
        --corpora "$WORK/new_corpus/$choice.yaml" --arch "ca_mtl_$SIZE" --single-arch "ca_mtl_$SIZE" \
        --init-from "$checkpoint" --single="--freeze none" --stages single --seeds $SEEDS --max-epoch "$EPOCHS" --patience "$PATIENCE" \
        --device "$DEVICE" --discard-models -- --loss-scaling none --batch-size "$BATCH" --lr "$LR" $OPTIONS
    for seed in $SEEDS; do rows+=("$choice ($start)=$WORK/new_corpus/$choice/seed$seed/single"); done
done
show_table new_corpus --columns snli
