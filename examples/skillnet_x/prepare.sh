#!/usr/bin/env bash
# The encoder, the raw text and the eleven corpora.
#   SKILL_DATA=/path/to/data bash prepare.sh [ENCODER_FOLDER]
# ENCODER_FOLDER holds XLM-R base from Hugging Face, or fairseq's; without it ENCODER must be there.
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"
import_encoder "$@"
binarise "$here/pretrain.yaml" "$RAW_TEXT_BIN"
binarise "$CORPORA_FILE" "$DATA_BIN"
