#!/usr/bin/env bash
# The eleven corpora together, and their scores: bash train.sh [OPTIONS OF fairseq-train…]
# From pre-trained skills; INITIAL=$ENCODER bash train.sh is the paper's "w/o SP".
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"
SAVE=${SAVE:-$WORK/checkpoints}
train "$(preset skillnet_x)" "$DATA_BIN" "$CORPORA_FILE" "${INITIAL:-$PRETRAINED}" "$SAVE" "$UPDATES" "$@"
bash "$here/evaluate.sh" "$SAVE/checkpoint_best.pt"
