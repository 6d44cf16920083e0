#!/usr/bin/env bash
# Section 3.5.5: more and more tasks (figure 3.7: GLUE, with SuperGLUE, with MRQA, with WNUT 2017; the mean over GLUE), and all
# 24 as groups (table 3.4), for the dense model with uniform sampling, for CA-MTL with uncertainty sampling, and for each task by
# itself (SINGLE=no leaves that out); JOBS runs at a time. It needs all of their files, see tasks.yaml. Tables: $WORK/tasks.md and
# $WORK/groups-*.md
# Figure 3.7 is of BERT base, half frozen, 3 epochs; table 3.4 of the large size: SIZE=large MAX_LENGTH=256 EPOCHS=8 (3.7.5),
# all weights of the dense model trained: DENSE_OPTIONS="--freeze none". ENCODERS=roberta: table 3.4's numbers of RoBERTa.
CORPORA_FILE=${CORPORA_FILE:-$(dirname "${BASH_SOURCE[0]}")/tasks.yaml}
EPOCHS=${EPOCHS:-3}
UPDATES=${UPDATES:-1000000000}           # of a run, at most: it ends with its epochs
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"
JOINT_OPTIONS+=" --max-epoch $EPOCHS"
DENSE_OPTIONS=${DENSE_OPTIONS:---freeze bottom-half}
OPTIONS+=" --max-length ${MAX_LENGTH:-128}"
glue=rte,mrpc,stsb,cola,sst2,qnli,qqp,mnli,mnli-mm,wnli
superglue=boolq,cb,copa,multirc,record,rte-superglue,wic,wsc
mrqa=newsqa,triviaqa,searchqa,hotpotqa,naturalquestions,squad
if [[ ! -e $DATA_BIN/wnut17 ]]; then binarise "$CORPORA_FILE" "$DATA_BIN"; fi
CORPORA=$glue
for more in "" "$superglue" "$mrqa" wnut17; do
    CORPORA+=${more:+,$more}
    number=$(tr ',' '\n' <<<"$CORPORA" | wc -l)
    glue "$WORK/tasks/dense-$number" "dense_$SIZE" uniform "$DENSE_OPTIONS"
    add_row "dense, $number sets" "$WORK/tasks/dense-$number"
    glue "$WORK/tasks/ca_mtl-$number" "ca_mtl_$SIZE" uncertainty
    add_row "ca_mtl, $number sets" "$WORK/tasks/ca_mtl-$number"
done
if [[ ${SINGLE:-yes} == yes ]]; then single "$WORK/tasks/single"; fi
show_table tasks --columns "$glue"
rows=()
if [[ ${SINGLE:-yes} == yes ]]; then add_row single "$WORK/tasks/single" single; fi
for variant in dense ca_mtl; do add_row "$variant" "$WORK/tasks/$variant-$number"; done
for group in "glue ${glue%,wnli}" "superglue $superglue" "mrqa $mrqa" "ner wnut17" "all ${CORPORA/,wnli/}"; do
    read -r name columns <<<"$group"
    show_table "groups-$name" --columns "$columns" --baseline dense --published "$here/table3.4${ENCODERS:+-$ENCODERS}-$name.json"
done
