#!/usr/bin/env bash
# The table beside this file, from the results.json beneath it: bash examples/skillnet/results/tables.sh
cd "$(dirname "${BASH_SOURCE[0]}")" || exit
"${PYTHON:-python}" ../../../scripts/compare_runs 'dense=dense/seed*/joint' 'moe_top2=moe_top2/seed*/joint' \
    'skillnet=joint/seed*/joint' --baseline dense --markdown compare.md
