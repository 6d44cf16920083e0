#!/usr/bin/env bash
# The encoder and the binarised corpora.
#   SKILL_DATA=/path/to/data bash prepare.sh [ENCODER_FOLDER]
# ENCODER_FOLDER holds a multilingual MiniLM with 12 layers of width 384 from Hugging Face, or another encoder: set SIZE;
# without it ENCODER must be there.
# CORPORA_FILE=xglue.yaml with XGLUE and XNLI_MT is XGLUE as a whole.
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"
import_encoder "$@"
if [[ ! -e $THESIS_DATA && $CORPORA_FILE == "$here/corpora.yaml" ]]; then show bash "$here/split.sh"; fi
binarise "$CORPORA_FILE" "$DATA_BIN"
binarise "$here/target.yaml" "$DATA_BIN"
