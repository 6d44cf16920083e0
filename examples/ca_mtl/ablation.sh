#!/usr/bin/env bash
# Table 3.1 of the thesis: each module added in turn, all with the bottom half frozen and corpora drawn alike. Below the
# table stands what the thesis calls task σ, the standard deviation over corpora. Table: $WORK/ablation.md
# UNCERTAINTY=no leaves out the last row.
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"

row() { # NAME FOLDER ARCH SAMPLING OPTIONS
    glue "$WORK/$2" "$3_$SIZE" "$4" "$5"
    add_row "$1" "$WORK/$2"
}

row "dense, half frozen" ablation/dense dense uniform "--freeze bottom-half"
row "+ conditional attention" ablation/attention ca_mtl uniform "--conditional attention"
row "+ conditional bottleneck" ablation/bottleneck ca_mtl uniform "--conditional attention,bottleneck"
row "+ alignment and norm" glue/ca_mtl-uniform ca_mtl uniform ""
if [[ ${UNCERTAINTY:-yes} == yes ]]; then row "+ uncertainty sampling" glue/ca_mtl-uncertainty ca_mtl uncertainty ""; fi
show_table ablation --columns "$CORPORA"
"$PYTHON" - "$WORK/ablation.json" <<'PYTHON'
import json, statistics, sys

for name, row in json.load(open(sys.argv[1]))["rows"].items():
    means = [100 * spread["mean"] for spread in row["corpora"].values()]
    if len(means) > 1:
        print(f"task σ of {name}: {statistics.stdev(means):.2f}")
PYTHON
