#!/usr/bin/env bash
# Section 4.2: the ladder with mT5, text in and text out, over the corpora and plans of ladder.sh, then mlm.sh:
#   SKILL_DATA=/path/to/data bash mt5.sh [FOLDER]
# FOLDER is mT5 from Hugging Face, of SIZE. Without it, and without ENCODER, one of random weights is made, with pieces that
# are learned from the corpora: it shows that all runs, and how fast. Tables: $WORK/ladder.md, languages.md and mlm.md, with
# the thesis's numbers below; $WORK/greedy.md, the last rung once more with answers that are written.
# PARTS: which of ladder, mlm and greedy; also target (section 4.4), whose SOURCE is QAM, as the thesis found for mT5.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export PRESET=thesis_mt5 VARIANT=mt5 SIZE=${SIZE:-base} WORK=${WORK:-thesis-mt5} DRAWS=${DRAWS:-8}
export RUNGS=${RUNGS:-single single-mix homogeneous joint accumulated mix r3f-scaling}
export SOURCE=${SOURCE:-qam-en} OPTIONS="--optimizer adafactor ${OPTIONS:-}"
source "$here/settings.sh"
last=${RUNGS##* }

if [[ $# -eq 0 && ! -e $ENCODER ]]; then
    if [[ ! -e $THESIS_DATA && $CORPORA_FILE == "$here/corpora.yaml" ]]; then show bash "$here/split.sh"; fi
    show "$PYTHON" "$here/random_mt5.py" "$CORPORA_FILE" "$WORK/random-mt5" --size "$SIZE"
    set -- "$WORK/random-mt5"
fi
show bash "$here/prepare.sh" "$@"

greedy() { # the last rung, scored once more
    local seed
    for seed in $SEEDS; do
        mkdir -p "$WORK/greedy/seed$seed"
        at_once "greedy-seed$seed" "$PYTHON" -m skill_plugin evaluate "$WORK/$last/seed$seed/joint/checkpoint_best.pt" \
            "$DATA_BIN" --decode greedy --split "$SPLIT" --device "$DEVICE" --json "$WORK/greedy/seed$seed/results.json"
    done
    add_rows "chosen" "$WORK/$last" joint
    add_rows "written" "$WORK/greedy"
    show_table greedy --columns "$(scored)"
}

for part in ${PARTS:-ladder mlm greedy}; do
    case $part in
    greedy) greedy ;;
    *) show bash "$here/$part.sh" ;;
    esac
done
