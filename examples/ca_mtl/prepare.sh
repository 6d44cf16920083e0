#!/usr/bin/env bash
# The encoder and the binarised corpora.
#   SKILL_DATA=/path/to/data bash prepare.sh [HUGGING_FACE_FOLDER]
# HUGGING_FACE_FOLDER holds a BERT with 6 layers of width 384 (or another: set SIZE); without it ENCODER must be there.
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"
import_encoder "$@"
binarise "$CORPORA_FILE" "$DATA_BIN"
binarise "$here/new_corpus.yaml" "$DATA_BIN"
