#!/usr/bin/env bash
# Table 6 of the slides: trained without each skill in turn. Below it each skill left out of the whole model as it answers,
# without training anew. Tables: $WORK/ablation.md, $WORK/ablate.json and .png. SKILLS: which ones
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"

leave_out() { # SKILL FILE: the corpora file without it
    mkdir -p "$(dirname "$2")"
    "$PYTHON" - "$CORPORA_FILE" "$1" "$2" <<'PYTHON'
import sys, yaml

source, skill, target = sys.argv[1:]
with open(source, encoding="utf-8") as file:
    content = yaml.safe_load(file)
if content["skills"].pop(skill, None) is None:
    sys.exit(f"{source}: no skill {skill!r}; there are: {', '.join(content['skills'])}")
for corpus in content["corpora"].values():
    corpus["skills"] = [name for name in corpus["skills"] if name != skill]
with open(target, "w", encoding="utf-8") as file:
    yaml.safe_dump(content, file, sort_keys=False, allow_unicode=True)
PYTHON
}

joint "$WORK/joint"
add_row skillnet "$WORK/joint"
for skill in ${SKILLS:-sentence token interact sentiment question finance generic}; do
    folder=$WORK/ablation/$skill
    leave_out "$skill" "$folder/corpora.yaml"
    joint "$folder" "skillnet_$SIZE" "$folder/corpora.yaml"
    add_row "- w/o $skill" "$folder"
done
show_table ablation --baseline skillnet --published "$here/table6.json"
show "$PYTHON" -m skill_plugin analyse ablate "$WORK/joint/seed${SEEDS%% *}/joint/checkpoint_last.pt" "$DATA_BIN" \
    --device "$DEVICE" --json "$WORK/ablate.json" --plot "$WORK/ablate.png"
