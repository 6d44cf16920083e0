#!/usr/bin/env bash
# Figure 3.6 of the thesis: how alike corpora are at the input of the first layer, before training and after it, for the
# dense model and for CA-MTL. Tables, $WORK/covariance-VARIANT.json and .png
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"
for variant in ${VARIANTS:-dense ca_mtl}; do
    folder=$WORK/glue/$variant-uniform
    glue "$folder" "${variant}_$SIZE" uniform
    all_done
    show "$PYTHON" -m skill_plugin analyse covariance "$folder/seed${SEEDS%% *}/joint/checkpoint_last.pt" "$DATA_BIN" \
        --before "$ENCODER" --only-corpora "$CORPORA" --device "$DEVICE" --limit "${LIMIT:-2000}" \
        --json "$WORK/covariance-$variant.json" --plot "$WORK/covariance-$variant.png"
done
