#!/usr/bin/env bash
# Skill pre-training (section 3.4): bash pretrain.sh [OPTIONS OF fairseq-train…]
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"
train "$RAW_TEXT_BIN" "$here/pretrain.yaml" "$ENCODER" "$(dirname "$PRETRAINED")" "$PRETRAIN_UPDATES" "$@"
show "$PYTHON" -m skill_plugin describe "$PRETRAINED"
