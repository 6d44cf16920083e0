#!/usr/bin/env bash
# Section 3.3.1: alignment by a separate matrix for each corpus, and by one that task embeddings modulate, beside the dense model, on
# the five corpora of that comparison, for which the thesis takes BERT large: SIZE=large. It does not say how much was frozen: FREEZE.
# JOBS runs at a time. Table: $WORK/alignment.md; the thesis's gains over
# the dense model are 2.35 % and 3.61 %, the former of other work
CORPORA=${CORPORA:-cola,mrpc,qnli,rte,sst2}
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"
FREEZE=${FREEZE:-none}
glue "$WORK/alignment/dense" "dense_$SIZE" uniform "--freeze $FREEZE"
add_row dense "$WORK/alignment/dense"
for kind in separate conditional; do
    glue "$WORK/alignment/$kind" "ca_mtl_$SIZE" uniform \
        "--conditional alignment --conditional-alignment $kind --freeze $FREEZE"
    add_row "$kind" "$WORK/alignment/$kind"
done
show_table alignment --columns "$CORPORA" --baseline dense
