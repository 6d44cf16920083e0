#!/usr/bin/env bash
# The tables beside this file, from the results.json beneath it: bash examples/thesis/results/tables.sh
cd "$(dirname "${BASH_SOURCE[0]}")" || exit
rows=('XNLI_mix=update400/mix/seed*/joint' 'XNLI_mix, loss scaling=update400/scaling/seed*/joint'
    'R3F=update400/r3f/seed*/joint' 'R3F, loss scaling=update400/r3f-scaling/seed*/joint')
"${PYTHON:-python}" ../../../scripts/compare_runs "${rows[@]}" --baseline XNLI_mix --markdown ladder.md
"${PYTHON:-python}" ../../../scripts/compare_runs "${rows[@]}" --baseline XNLI_mix --by-language --markdown languages.md
