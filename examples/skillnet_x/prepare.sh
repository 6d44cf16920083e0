#!/usr/bin/env bash
# The encoder, the raw text and the eleven corpora.
#   SKILL_DATA=/path/to/data bash prepare.sh [ENCODER_FOLDER]
# ENCODER_FOLDER holds XLM-R base from Hugging Face, or fairseq's; without it ENCODER must be there.
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"
: "${SKILL_DATA:?the folder with a folder for each data set; see README.md}"
mkdir -p "$WORK"
if [[ $# -gt 0 ]]; then show "$PYTHON" -m skill_plugin import "$1" "$ENCODER"; fi
show "$PYTHON" -m skill_plugin prepare "$here/pretrain.yaml" "$RAW_TEXT_BIN" --encoder "$ENCODER"
show "$PYTHON" -m skill_plugin prepare "$here/corpora.yaml" "$DATA_BIN" --encoder "$ENCODER"
