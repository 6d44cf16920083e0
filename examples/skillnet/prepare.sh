#!/usr/bin/env bash
# The encoder and the six corpora.
#   SKILL_DATA=/path/to/data bash prepare.sh [ENCODER_FOLDER]
# ENCODER_FOLDER holds a Chinese BERT base from Hugging Face, or XLM-R; without it ENCODER must be there.
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"
import_encoder "$@"
binarise "$here/corpora.yaml" "$DATA_BIN"
