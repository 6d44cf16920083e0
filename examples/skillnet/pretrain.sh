#!/usr/bin/env bash
# Sparse pre-training (figure 3 of the slides): a masked language model activates s2 and s7, next sentences s1, s3 and s7.
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"
DATA_BIN=$RAW_TEXT_BIN SEEDS=1 JOBS=1 UPDATES=$PRETRAIN_UPDATES
OPTIONS+=" --disable-validation"         # no corpus counts in an average
if [[ ! -e $DATA_BIN/manifest.json ]]; then binarise "$here/pretrain.yaml" "$DATA_BIN"; fi
joint "$WORK/pretrained" "skillnet_$SIZE" "$here/pretrain.yaml"
