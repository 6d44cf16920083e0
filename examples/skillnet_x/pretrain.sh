#!/usr/bin/env bash
# Skill pre-training (section 3.4): bash pretrain.sh [OPTIONS OF fairseq-train…]
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"
settings=$(preset skillnet_x)
settings=${settings/--best-checkpoint-metric avg --maximize-best-checkpoint-metric/}  # the best is that of the lowest loss
train "$settings" "$RAW_TEXT_BIN" "$here/pretrain.yaml" "$ENCODER" "$(dirname "$PRETRAINED")" "$PRETRAIN_UPDATES" "$@"
show "$PYTHON" -m skill_plugin describe "$PRETRAINED"
