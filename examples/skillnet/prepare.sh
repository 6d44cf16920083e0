#!/usr/bin/env bash
# The encoder, the six corpora, and the new one that the collection has.
#   SKILL_DATA=/path/to/data bash prepare.sh [ENCODER_FOLDER]
# ENCODER_FOLDER holds a Chinese BERT base from Hugging Face, or XLM-R; without it ENCODER must be there.
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"
import_encoder "$@"
binarise "$CORPORA_FILE" "$DATA_BIN"
binarise "$here/new_tasks.yaml" "$DATA_BIN" --only-corpora cmedqa
