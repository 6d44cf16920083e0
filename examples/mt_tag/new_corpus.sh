#!/usr/bin/env bash
# Tables 2 and 6 of the paper (section 5.2, appendix A.1.1): new corpora start from the joint model, and their gates from
# that of a related corpus. GATES: corpora whose gate SNLI starts from; `random` is none, and `mnli+head` takes MNLI's
# head too. Tables: $WORK/new_corpus.md and $WORK/gates.md
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"
GATES=${GATES:-random sst2 rte mnli mnli+head}
folder=$WORK/new_corpus
mkdir -p "$folder"

fine_tune() { # RUN_DIR ARCH CORPORA_FILE [OPTIONS OF two_stage.py…]: new corpora, from each seed's joint model
    local seed
    for seed in $SEEDS; do
        ENCODER=$WORK/glue/${2%_*}/seed$seed/joint/checkpoint_last.pt \
            two_stage "$1" "$2" "$3" single "$seed" --single-arch "$2" "${@:4}"
    done
}

two_stage "$folder/single" "dense_$SIZE" "$here/new_corpus.yaml" single "$SEEDS"
add_rows single "$folder/single" single
for variant in $VARIANTS; do
    STAGES=joint glue "$variant"
    all_done
    fine_tune "$folder/$variant" "${variant}_$SIZE" "$here/new_corpus.yaml"
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
    sed "$change" "$here/new_corpus.yaml" >"$folder/$gate.yaml"
    fine_tune "$folder/gate-$gate" "mt_tag_$SIZE" "$folder/$gate.yaml" --only-corpora snli
    add_rows "$gate" "$folder/gate-$gate" single
done
show_table gates
