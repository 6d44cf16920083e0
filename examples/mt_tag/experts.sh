#!/usr/bin/env bash
# Table 8 of the paper (appendix A.1.3): how many experts? EXPERTS: numbers to compare; 1 is the dense model with a gate that has nothing
# to choose. Table: $WORK/experts.md
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"
for number in ${EXPERTS:-2 4 6}; do
    if [[ $number == 4 ]]; then  # the default: the model of the other recipes
        folder=$WORK/glue/mt_tag
        glue mt_tag
    else
        folder=$WORK/experts/$number
        two_stage "$folder" "mt_tag_$SIZE" "$CORPORA_FILE" "$STAGES" "$SEEDS" \
            --only-corpora "$CORPORA" --small "$SMALL" --model="--experts $number"
    fi
    add_rows "$number experts" "$folder" "$STAGES"
done
show_table experts --small "$SMALL" --columns "$CORPORA" --published "$here/table8.json"
