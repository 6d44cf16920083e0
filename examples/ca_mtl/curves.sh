#!/usr/bin/env bash
# Figures 3.4, 3.5 and 3.8 of the thesis, from the logs of sampling.sh's runs: the mean score by ways of drawing corpora; a small
# and a large corpus, and how uncertain the model is of each, which only uncertainty sampling logs; the examples that it chose,
# beside how difficult the corpora are. VARIANT: whose (figure 3.4: the dense model). Tables and plots: $WORK/curves*.md and .png,
# $WORK/difficulty.json
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"
VARIANT=${VARIANT:-dense}
curves() { # NAME VALUES SAMPLING…
    local sampling runs=()
    for sampling in "${@:3}"; do runs+=("$sampling=$WORK/glue/$VARIANT-$sampling/seed*/joint"); done
    show "$PYTHON" "$root/scripts/run_curves.py" "${runs[@]}" --values "$2" --every "${EVERY:-1000}" \
        --markdown "$WORK/$1.md" --plot "$WORK/$1.png"
}
# shellcheck disable=SC2086  # a list of words
curves curves avg ${SAMPLINGS:-uniform proportional uncertainty}
# shellcheck disable=SC2086  # a list of words
curves curves-corpora "${SCORES:-cola_mcc,mnli_accuracy}" ${SAMPLINGS:-uniform proportional uncertainty}
if [[ " ${SAMPLINGS:-uncertainty} " == *" uncertainty "* ]]; then
    curves curves-entropy "${ENTROPIES:-cola_entropy,mnli_entropy}" uncertainty
    curves curves-chosen "${CHOSEN:-mnli_chosen,cola_chosen,rte_chosen,qqp_chosen,mrpc_chosen,sst2_chosen}" uncertainty
    show "$PYTHON" -m skill_plugin analyse difficulty "$CORPORA_FILE" --only-corpora "$CORPORA" --json "$WORK/difficulty.json"
fi
