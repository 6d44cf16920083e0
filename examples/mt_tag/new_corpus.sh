#!/usr/bin/env bash
# Tables 2 and 6 of the paper (section 5.2, appendix A.1.1): new corpora start from the joint model, and their gates from
# that of a related corpus. GATES: corpora whose gate GATE_CORPUS starts from; `random` is none, and `mnli+head` takes MNLI's
# head too (not of SciTail, whose labels are others). GATE_PART: of its rows. NEW_CORPORA_FILE: scitail.yaml has the paper's
# (GATE_CORPUS=scitail GATE_PART=10% for table 6). Tables: $WORK/new_corpus.md and $WORK/gates.md
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"
GATES=${GATES:-random sst2 rte mnli mnli+head}
GATE_CORPUS=${GATE_CORPUS:-snli}
GATE_PART=${GATE_PART:-100%}
NEW_CORPORA_FILE=${NEW_CORPORA_FILE:-$here/new_corpus.yaml}
folder=$WORK/new_corpus
mkdir -p "$folder"
if [[ ! -e $DATA_BIN/$GATE_CORPUS ]]; then binarise "$NEW_CORPORA_FILE" "$DATA_BIN"; fi

fine_tune() { # RUN_DIR ARCH CORPORA_FILE [OPTIONS OF two_stage.py…]: new corpora, from each seed's joint model
    local seed
    for seed in $SEEDS; do
        ENCODER=$WORK/glue/${2%_*}/seed$seed/joint/checkpoint_last.pt \
            two_stage "$1" "$2" "$3" single "$seed" --single-arch "$2" "${@:4}"
    done
}

two_stage "$folder/single" "dense_$SIZE" "$NEW_CORPORA_FILE" single "$SEEDS"
add_rows single "$folder/single" single
for variant in $VARIANTS; do
    STAGES=joint glue "$variant"
    all_done
    fine_tune "$folder/$variant" "${variant}_$SIZE" "$NEW_CORPORA_FILE"
    add_rows "$variant" "$folder/$variant" single
done
show_table new_corpus

STAGES=joint glue mt_tag
all_done
rows=()
for gate in $GATES; do
    case $gate in
    random) change='/gate_from: mnli/d' ;;
    mnli+head) change=$'s/^\\( *\\)gate_from: mnli.*/&\\\n\\1head_from: mnli/' ;;
    *) change="s/gate_from: mnli/gate_from: $gate/" ;;
    esac
    sed "$change" "$NEW_CORPORA_FILE" >"$folder/$gate.yaml"
    fine_tune "$folder/gate-$gate" "mt_tag_$SIZE" "$folder/$gate.yaml" --only-corpora "$GATE_CORPUS" \
        --single="--train-rows $GATE_PART"
    add_rows "$gate" "$folder/gate-$gate" single
done
show_table gates --published "$here/table6.json"
