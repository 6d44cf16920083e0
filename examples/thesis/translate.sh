#!/usr/bin/env bash
# Section 4.1, tables 4.1 and 4.2: XNLI and PAWS-X trained in each language and scored in it (translate-train), and trained in
# English and scored in all (zero-shot; English is the same run in both), for every imported encoder. ENCODERS: their names; the file of
# each is $WORK/encoder-NAME.pt, or $ENCODER where there is no such file. All are of the size SIZE. JOBS runs at a time.
# Tables: $WORK/translate-xnli.md and translate-pawsx.md, with the thesis's test numbers below rows named xlmr and mbert
CORPORA_FILE=${CORPORA_FILE:-$(dirname "${BASH_SOURCE[0]}")/translate.yaml}
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"
ENCODERS=${ENCODERS:-xlmr}
names=$(sed -nE 's/^  ([a-z0-9-]+):.*/\1/p' <(sed '1,/^corpora:/d' "$CORPORA_FILE"))

languages() { # TASK: those that it is trained in, with spaces
    sed -nE "s/^$1-train-//p" <<<"$names" | tr '\n' ' '
}

scored() { # TASK: its corpora with a valid split, with commas
    grep -xE "$1-[a-z]{2}" <<<"$names" | paste -sd,
}

for name in $ENCODERS; do
    folder=$WORK/translate/$name
    if [[ -e $WORK/encoder-$name.pt ]]; then ENCODER=$WORK/encoder-$name.pt; fi
    DATA_BIN=$folder/data-bin
    if [[ ! -e $DATA_BIN/manifest.json ]]; then binarise "$CORPORA_FILE" "$DATA_BIN"; fi
    for seed in $SEEDS; do
        for task in xnli pawsx; do
            joint "$folder/zero-shot/seed$seed/$task" "$task-train-en,$(scored "$task")" "$seed" "$one"
            for language in $(languages "$task"); do
                if [[ $language == en ]]; then continue; fi
                joint "$folder/translate-train/seed$seed/$task/$language" "$task-train-$language,$task-$language" "$seed" "$one"
            done
        done
    done
    all_done
    for seed in $SEEDS; do
        for task in xnli pawsx; do
            english=$folder/translate-train/seed$seed/$task/en
            if [[ $TABLES_ONLY == yes || -e $english/results.json ]]; then continue; fi
            mkdir -p "$english"
            show "$PYTHON" -m skill_plugin evaluate "$folder/zero-shot/seed$seed/$task/seed$seed/joint/checkpoint_best.pt" \
                "$DATA_BIN" --only-corpora "$task-en" --split "$SPLIT" --device "$DEVICE" --json "$english/results.json"
        done
    done
done
for task in xnli pawsx; do
    rows=()
    for name in $ENCODERS; do
        for scheme in translate-train zero-shot; do
            for seed in $SEEDS; do rows+=("$name, $scheme=$WORK/translate/$name/$scheme/seed$seed/$task"); done
        done
    done
    published=()
    if [[ $SPLIT == test ]]; then published=(--published "$here/tables4.1-4.2-$task.json"); fi
    show_table "translate-$task" --columns "$(scored "$task")" "${published[@]}"
done
