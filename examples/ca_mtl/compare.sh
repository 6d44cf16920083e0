#!/usr/bin/env bash
# Table 3.1 of the thesis: each module added in turn, all with the bottom half frozen and corpora drawn alike, then drawn by
# uncertainty; JOBS runs at a time. Task σ is the standard deviation over all entries of GLUE (section 3.5.2: both metrics of
# QQP, MRPC and STS-B). Table: $WORK/compare.md, with the thesis's numbers below ours and the difference from `dense`.
# UNCERTAINTY=no leaves out the last row.
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"

row() { # NAME FOLDER ARCH SAMPLING OPTIONS
    glue "$WORK/$2" "$3_$SIZE" "$4" "$5"
    add_row "$1" "$WORK/$2"
}

row "dense" table3.1/dense dense uniform "--freeze bottom-half"
row "+ conditional attention" table3.1/attention ca_mtl uniform "--conditional attention"
row "+ conditional bottleneck" table3.1/bottleneck ca_mtl uniform "--conditional attention,bottleneck"
row "+ alignment and norm" glue/ca_mtl-uniform ca_mtl uniform ""
if [[ ${UNCERTAINTY:-yes} == yes ]]; then row "+ uncertainty sampling" glue/ca_mtl-uncertainty ca_mtl uncertainty ""; fi
show_table compare --columns "$CORPORA" --baseline dense --published "$here/table3.1.json" --data-used \
    --entries "$ENTRIES"
