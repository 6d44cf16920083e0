#!/usr/bin/env bash
# The ladder of sections 4.2 and 4.3, each rung on top of the one before; JOBS runs at a time. Tables: $WORK/ladder.md, by
# corpus, $WORK/languages.md, by language, and $WORK/tasks.md, by task, with the difference from the single tasks, and the thesis's
# numbers below. RUNGS: which to run and show; homogeneous, scaling, r3f-independent and r4f are there too.
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"

every="single single-mix homogeneous joint accumulated mix scaling r3f r3f-independent r3f-scaling r4f"
if [[ $TABLES_ONLY == yes ]]; then RUNGS=${RUNGS:-$every}; fi
baseline=()
for name in ${RUNGS:-single single-mix joint accumulated mix r3f r3f-scaling}; do
    case $name in
    single) title="single" ;;
    single-mix) title="single, XNLI_mix" ;;
    homogeneous) title="joint, one task a pass" ;;
    joint) title="joint" ;;
    accumulated) title="+ accumulation" ;;
    mix) title="+ XNLI_mix" ;;
    scaling) title="+ XNLI_mix, loss scaling" ;;
    r3f) title="+ R3F" ;;
    r3f-independent) title="+ R3F, dropout of its own" ;;
    r3f-scaling) title="+ R3F, loss scaling" ;;
    r4f) title="+ R4F, loss scaling" ;;
    *) title=$name ;;  # `rung` says what there is
    esac
    case $name in
    single | single-mix)
        for task in $TASKS; do
            if [[ $name == single || $task != xnli ]]; then single "$task" "$WORK/single"; fi
            if [[ $name == single-mix && $task == xnli ]]; then single xnli-mix "$WORK/single-mix"; fi
            all_done  # single and single-mix share runs
        done
        if [[ $name == single-mix && $TABLES_ONLY == no ]]; then  # the other tasks are those of single
            for seed in $SEEDS; do
                for task in $TASKS; do
                    if [[ $task == xnli ]]; then continue; fi
                    mkdir -p "$WORK/single-mix/seed$seed/$task"
                    cp -p "$WORK/single/seed$seed/$task/seed$seed/joint/results.json" "$WORK/single-mix/seed$seed/$task/"
                done
            done
        fi
        add_rows "$title" "$WORK/$name"
        ;;
    *)
        rung "$name"
        add_rows "$title" "$WORK/$name" joint
        ;;
    esac
    if [[ $name == single ]]; then baseline=(--baseline "$title"); fi
done
case $VARIANT-$SPLIT in                  # of XGLUE
mt5-valid) published=$here/tables4.3-4.10.json ;;
mt5-test) published=$here/tablesA.1-A.3.json ;;
*-valid) published=$here/tables4.11-4.13.json ;;  # XLM-R's
*-test) published=$here/tablesA.4-A.6.json ;;
esac
show_table ladder --columns "$(scored)" "${baseline[@]}" --published "$published"
for by in language task; do
    show_table "${by}s" --columns "$(scored)" "--by-$by" "${baseline[@]}" --published "$published"
done
