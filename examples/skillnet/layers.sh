#!/usr/bin/env bash
# Table 7 of the slides: skills in the top layers only. LAYERS: numbers to compare; those of the table, of BERT base's 12.
# Table: $WORK/layers.md
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"
for number in ${LAYERS:-3 6 9 12}; do
    joint "$WORK/layers/$number" "skillnet_$SIZE" "$CORPORA_FILE" "$ENCODER" "--skill-layers $number"
    add_row "$number layers" "$WORK/layers/$number"
done
show_table layers --published "$here/table7.json"
