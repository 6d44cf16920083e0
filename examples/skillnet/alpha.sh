#!/usr/bin/env bash
# Figure 4 of the slides: the exponent of the sizes by which corpora are drawn. ALPHAS: values to compare. Table: $WORK/alpha.md
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"
for alpha in ${ALPHAS:-0.2 0.4 0.6 0.8 1.0}; do
    folder=$WORK/alpha/$alpha
    if [[ $alpha == 1.0 ]]; then folder=$WORK/joint; fi  # the model of the other recipes
    ALPHA=$alpha joint "$folder"
    add_row "α $alpha" "$folder"
done
show_table alpha
