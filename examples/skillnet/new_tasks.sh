#!/usr/bin/env bash
# Tables 4 and 5 of the slides: tasks that the joint models have not seen, each trained by itself from the encoder and from each
# model of compare.sh, which is made where it is not there; medical answers also with a new skill, trained alone or with all
# others. JOBS runs at a time. NEW_TASKS: dbqa (not in the collection) and cmedqa. PRETRAINING=no leaves out pre-trained skills.
# Table: $WORK/new_tasks.md
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"
NEW_TASKS=${NEW_TASKS:-cmedqa}
SPLIT=${SPLIT:-valid}                    # `test` wants a WORK of its own; cmedqa has none here
NEW_TASKS_FILE=${NEW_TASKS_FILE:-$here/new_tasks.yaml}
folder=$WORK/new_tasks
mkdir -p "$folder"
sed '/^  medical:/d; /^skills_from:/d; s/, medical\]/]/' "$NEW_TASKS_FILE" >"$folder/old_skills.yaml"

fine_tune() { # NAME FOLDER ARCH START OPTIONS CORPORA_FILE TASKS: START is ENCODER, or a folder of joint models
    local seed SEEDS_OF_ALL=$SEEDS start=$4
    for seed in $SEEDS_OF_ALL; do
        if [[ $4 != "$ENCODER" ]]; then start=$4/seed$seed/joint/checkpoint_last.pt; fi
        SEEDS=$seed two_stage "$folder/$2" "$3" "$6" "$start" single --single-arch "$3" --only-corpora "$7" \
            --single="$5" --split "$SPLIT" --discard-models
    done
    add_row "$1" "$folder/$2" single
}

tasks=${NEW_TASKS// /,}
starts=(joint)
for variant in dense moe_top2; do
    joint "$WORK/$variant" "${variant}_$SIZE" "$CORPORA_FILE" "$ENCODER" "$(baseline_options "$variant")"
done
joint "$WORK/joint"
if [[ ${PRETRAINING:-yes} != no ]]; then
    pretrained
    joint "$WORK/joint-pretrained" "skillnet_$SIZE" "$CORPORA_FILE" "$PRETRAINED"
    starts+=(joint-pretrained)
fi
all_done
fine_tune single single "dense_$SIZE" "$ENCODER" "" "$folder/old_skills.yaml" "$tasks"
for variant in dense moe_top2; do
    fine_tune "$variant" "$variant" "${variant}_$SIZE" "$WORK/$variant" "$(baseline_options "$variant")" \
        "$folder/old_skills.yaml" "$tasks"
done
for start in "${starts[@]}"; do
    name=skillnet
    if [[ $start == joint-pretrained ]]; then name+=", pre-trained skills"; fi
    fine_tune "$name" "$start" "skillnet_$SIZE" "$WORK/$start" "" "$folder/old_skills.yaml" "$tasks"
    if [[ " $NEW_TASKS " == *" cmedqa "* ]]; then
        fine_tune "$name, new skill alone" "$start-alone" "skillnet_$SIZE" "$WORK/$start" "--freeze old" \
            "$NEW_TASKS_FILE" cmedqa
        fine_tune "$name, new skill" "$start-new" "skillnet_$SIZE" "$WORK/$start" "" "$NEW_TASKS_FILE" cmedqa
    fi
done
show_table new_tasks --baseline single --published "$here/tables4-5-$SPLIT.json"
