#!/usr/bin/env bash
# The tables beside this file, from the results.json beneath it: bash examples/skillnet_x/results/tables.sh
cd "$(dirname "${BASH_SOURCE[0]}")" || exit
compare() { # NAME ROWS AND OPTIONS OF compare_runs…
    "${PYTHON:-python}" ../../../scripts/compare_runs "${@:2}" --published ../table5.json --markdown "$1.md"
}
compare single 'single=table5/single/seed*/single' 'dense=table5/dense/seed*/joint' --baseline single \
    --columns nli-en,qnli,sst2,squad-en
compare moe 'dense=table5/dense/seed[12]/joint' 'moe_top2=table5/moe_top2/seed*/joint' --baseline dense
