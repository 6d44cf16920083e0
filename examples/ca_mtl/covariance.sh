#!/usr/bin/env bash
# Figure 3.6 of the thesis (section 3.5.2): how alike corpora are at the input of the first layer, for a model of each by itself,
# for the encoder, the dense model and CA-MTL, and what the joint models gain on each corpus over its single model. VARIANTS: which
# joint models. JOBS runs at a time. Tables and plots: $WORK/covariance-VARIANT.json and .png, $WORK/covariance.md and .png
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"
EPOCHS=${EPOCHS:-5}                      # of single models (section 3.7.5)
seed=${SEEDS%% *}
single
for variant in ${VARIANTS:-dense ca_mtl}; do glue "$WORK/glue/$variant-uniform" "${variant}_$SIZE" uniform; done
all_done

alone=()                                 # WNLI counts in no mean, and has no single model
for corpus in ${CORPORA//,/ }; do
    if [[ $corpus == wnli ]]; then continue; fi
    alone+=(--single "$corpus=$WORK/single/seed$seed/single/$corpus/checkpoint_last.pt")
done
for variant in ${VARIANTS:-dense ca_mtl}; do
    show "$PYTHON" -m skill_plugin analyse covariance "$WORK/glue/$variant-uniform/seed$seed/joint/checkpoint_last.pt" \
        "$DATA_BIN" --before "$ENCODER" "${alone[@]}" --only-corpora "${CORPORA%,wnli}" --device "$DEVICE" \
        --limit "${LIMIT:-2000}" --json "$WORK/covariance-$variant.json" --plot "$WORK/covariance-$variant.png"
    rows+=("$variant:$WORK/covariance-$variant.json=$WORK/glue/$variant-uniform/seed*/joint")
done
show "$PYTHON" "$root/scripts/similarity_gains.py" "${rows[@]}" --single "$WORK/single/seed*/single" \
    --markdown "$WORK/covariance.md" --plot "$WORK/covariance.png"
