#!/usr/bin/env bash
# Cuts the development sets of XNLI and PAWS-X, whose train sets are not in the collection, into train and valid, at the
# same row in each language: SKILL_DATA=/path/to/data bash split.sh. Into $THESIS_DATA; see README.md for the real ones.
# XNLI_TRAIN, PAWSX_TRAIN: rows of train.
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"
: "${SKILL_DATA:?the folder with a folder for each data set; see README.md}"
mkdir -p "$THESIS_DATA"

cut_in_two() { # DATA_SET ROWS
    local language source
    for language in en de es zh; do
        source=$SKILL_DATA/$1-$language/dev-$language.tsv
        head -n "$2" "$source" >"$THESIS_DATA/$1-train-$language.tsv"
        tail -n "+$(($2 + 1))" "$source" >"$THESIS_DATA/$1-dev-$language.tsv"
    done
}

cut_in_two xnli "${XNLI_TRAIN:-900}"  # three rows a premise: a multiple of 3
cut_in_two pawsx "${PAWSX_TRAIN:-700}"
