#!/usr/bin/env bash
# The tables beside this file, from the results.json beneath it: bash examples/mt_tag/results/tables.sh
cd "$(dirname "${BASH_SOURCE[0]}")" || exit
compare() { # NAME ROWS AND OPTIONS OF compare_runs…
    "${PYTHON:-python}" ../../../scripts/compare_runs "${@:2}" --markdown "$1.md"
}
mixtures=('dense=glue/dense/seed*/joint' 'mt_switch=glue/mt_switch/seed*/joint' 'mt_tag=glue/mt_tag/seed*/joint')
compare joint "${mixtures[@]}" --baseline dense --small rte,mrpc,stsb,cola \
    --columns rte,mrpc,stsb,cola,sst2,qnli,qqp,mnli
compare small 'single=single/seed*/single' "${mixtures[@]}" --baseline single --columns rte,mrpc,stsb,cola
