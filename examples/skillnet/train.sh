#!/usr/bin/env bash
# The six corpora together, for each seed: table 3's "w/o sparse pre-training". Table: $WORK/joint.md
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"
joint "$WORK/joint" "$here/corpora.yaml"
add_row "$ARCH" "$WORK/joint"
show_table joint
