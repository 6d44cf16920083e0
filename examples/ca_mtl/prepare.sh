#!/usr/bin/env bash
# The encoder and the binarised corpora.
#   SKILL_DATA=/path/to/data bash prepare.sh [HUGGING_FACE_FOLDER]
# HUGGING_FACE_FOLDER holds a BERT with 6 layers of width 384 (or another: set SIZE); without it ENCODER must be there.
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"
: "${SKILL_DATA:?the folder with a folder for each data set; see README.md}"
mkdir -p "$WORK"
if [[ $# -gt 0 ]]; then show "$PYTHON" -m skill_plugin import "$1" "$ENCODER"; fi
show "$PYTHON" -m skill_plugin prepare "$here/corpora.yaml" "$DATA_BIN" --encoder "$ENCODER"
show "$PYTHON" -m skill_plugin prepare "$here/new_corpus.yaml" "$DATA_BIN" --encoder "$ENCODER"
