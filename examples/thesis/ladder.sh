#!/usr/bin/env bash
# The ladder of sections 4.2 and 4.3, each rung on top of the one before. Tables: $WORK/ladder.md, by corpus, and
# $WORK/languages.md, by language. RUNGS: which to run and show; r4f is there too.
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"

single() { # SEED TASK FOLDER: one task by itself
    joint "$3/seed$1/$2" "$(corpora_of "$2")" "$1" "$one"
}

for name in ${RUNGS:-single single-mix joint heterogeneous accumulated mix r3f}; do
    case $name in
    single) title="single" ;;
    single-mix) title="single, XNLI_mix" ;;
    joint) title="joint" ;;
    heterogeneous) title="+ heterogeneous batches" ;;
    accumulated) title="+ accumulation" ;;
    mix) title="+ XNLI_mix" ;;
    r3f) title="+ R3F, loss scaling" ;;
    r4f) title="+ R4F" ;;
    *) title=$name ;;  # `rung` says what there is
    esac
    case $name in
    single | single-mix)
        for seed in $SEEDS; do
            for task in $TASKS; do
                if [[ $name == single || $task != xnli ]]; then single "$seed" "$task" "$WORK/single"; fi
                if [[ $name == single ]]; then continue; fi
                if [[ $task == xnli ]]; then  # the one task of which there is another
                    single "$seed" xnli-mix "$WORK/single-mix"
                else
                    mkdir -p "$WORK/single-mix/seed$seed/$task"
                    cp "$WORK/single/seed$seed/$task/seed$seed/joint/results.json" "$WORK/single-mix/seed$seed/$task/"
                fi
            done
        done
        add_rows "$title" "$WORK/$name"
        ;;
    *)
        rung "$name"
        add_rows "$title" "$WORK/$name" joint
        ;;
    esac
done
show_table ladder --columns "$(scored)"
show_table languages --columns "$(scored)" --by-language
