#!/usr/bin/env bash
# The encoder and the binarised corpora.
#   SKILL_DATA=/path/to/data bash prepare.sh [ENCODER_FOLDER]
# ENCODER_FOLDER holds a multilingual MiniLM with 12 layers of width 384 from Hugging Face, or another encoder: set SIZE;
# without it ENCODER must be there.
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"
: "${SKILL_DATA:?the folder with a folder for each data set; see README.md}"
mkdir -p "$WORK"
if [[ $# -gt 0 ]]; then show "$PYTHON" -m skill_plugin import "$1" "$ENCODER"; fi
if [[ ! -e $THESIS_DATA ]]; then show bash "$here/split.sh"; fi
show "$PYTHON" -m skill_plugin prepare "$here/corpora.yaml" "$DATA_BIN" --encoder "$ENCODER"
show "$PYTHON" -m skill_plugin prepare "$here/target.yaml" "$DATA_BIN" --encoder "$ENCODER"
