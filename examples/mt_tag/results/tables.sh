#!/usr/bin/env bash
# The tables beside this file, from the results.json beneath it: bash examples/mt_tag/results/tables.sh
cd "$(dirname "${BASH_SOURCE[0]}")" || exit
compare() { # NAME ROWS AND OPTIONS OF compare_runs…
    "${PYTHON:-python}" ../../../scripts/compare_runs "${@:2}" --markdown "$1.md"
}
mixtures() { # STAGE
    rows=("dense=glue/dense/seed*/$1")
    for variant in mt_switch mt_tag; do
        rows+=("$variant=glue/$variant/seed*/$1" "$variant, rescaled=rescaled/$variant/seed*/$1")
    done
}
mixtures joint
compare joint "${rows[@]}" --baseline dense --small rte,mrpc,stsb,cola --columns rte,mrpc,stsb,cola,sst2,qnli,qqp,mnli
compare single 'single=single/seed*/single' "${rows[@]}" --baseline single --small rte,mrpc,stsb,cola \
    --columns rte,mrpc,stsb,cola,sst2,qnli,qqp
mixtures finetune
compare finetune "${rows[@]}" --baseline dense --columns rte,mrpc,stsb  # those that all runs finished
