#!/usr/bin/env bash
# Table 6 of the paper with intervals: the analysis of perturb.sh for the model of each seed that compare.sh has trained, over
# the English corpora, ENGLISH. MODEL: which one; the paper's has pre-trained skills. JOBS runs at a time.
# Table: $WORK/perturb.md, with the paper's numbers below ours and the change from the model as it was trained
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"
MODEL=${MODEL:-skillnet_x_ffn_mha-pretrained}
ENGLISH=${ENGLISH:-nli-en,qnli,sst2,squad-en,ner-en}
for seed in $SEEDS; do
    file=$WORK/perturb/seed$seed/perturb.json
    if [[ ! -e $file && $TABLES_ONLY == no ]]; then
        mkdir -p "${file%/*}"
        at_once "perturb-seed$seed" "$PYTHON" -m skill_plugin analyse perturb \
            "$WORK/table5/$MODEL/seed$seed/joint/checkpoint_last.pt" "$DATA_BIN" --split "${SPLIT:-valid}" --device "$DEVICE" \
            --only-corpora "${CORPORA:-}" --limit "${LIMIT:-0}" --json "$file"
    fi
done
for condition in "as trained" "language zh" "language de" "language es" "all skills" \
    "random skills, seed 42" "random skills, seed 624" "random skills, seed 123"; do
    for seed in $SEEDS; do rows+=("$condition=$WORK/perturb/seed$seed/perturb.json#$condition"); done
done
show_table perturb --columns "$ENGLISH" --baseline "as trained" --published "$here/table6.json"
