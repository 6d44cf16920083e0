#!/usr/bin/env bash
# Section 4.4, tables 4.14 and 4.15: Czech fact checking, which the ladder has not seen. TARGETS: the rows, each what it starts
# from (encoder; source: the single task SOURCE; joint: the rung JOINT; r3f: the rung R3F), then `xnli` in the form of XNLI
# (section 3.2: its head too; else a fresh head), then `lora` for adapters (section 3.5) in place of all weights. JOBS runs
# at a time. Tables: $WORK/target.md by macro F1 (section 3.3), target-micro.md by micro F1, which is accuracy.
# SOURCE is the best task by `skill-plugin analyse transfer --by task`: XNLI in the thesis. TARGET_EPOCHS: the best is scored.
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"
TARGETS=${TARGETS:-encoder source joint r3f joint-xnli r3f-xnli encoder-lora joint-lora joint-xnli-lora}
SOURCE=${SOURCE:-xnli}
JOINT=${JOINT:-joint}
R3F=${R3F:-r3f-scaling}
TARGET_EPOCHS=${TARGET_EPOCHS:-100}      # section 4.4
TARGET_CORPORA=${TARGET_CORPORA:-$here/target.yaml}
lora="--lora-rank 32 --lora-alpha 32 --lora-dropout 0.1 --optimizer skill_adam --lr ${LORA_LR:-5e-4}"  # 3.4, 3.5 and 4
if [[ $TABLES_ONLY == no ]]; then
    mkdir -p "$WORK/target"
    # by itself: a fresh head; of text to text its own prefix, names and labels (figure 3.2)
    sed '/^    head_from: /d; s/^    prefix: .*/    prefix: ctkfacts_nli/
        s/^    text_names: .*/    text_names: {text_a: evidence, text_b: claim}/
        /^    text_names: /a\    targets: {entailment: SUPPORTS, neutral: NOT ENOUGH INFO, contradiction: REFUTES}
        ' "$TARGET_CORPORA" >"$WORK/target/alone.yaml"
fi

start_of() { # TARGET SEED: the checkpoint
    case ${1%%-*} in
    encoder) echo "$ENCODER" ;;
    source) echo "$WORK/single/seed$2/$SOURCE/seed$2/joint/checkpoint_best.pt" ;;
    joint) echo "$WORK/$JOINT/seed$2/joint/checkpoint_best.pt" ;;
    r3f) echo "$WORK/$R3F/seed$2/joint/checkpoint_best.pt" ;;
    *)
        echo "$1: expected encoder, source, joint or r3f, then -xnli, then -lora" >&2
        exit 1
        ;;
    esac
}

for target in $TARGETS; do
    case $target in
    source*) single "$SOURCE" "$WORK/single" ;;
    joint*) rung "$JOINT" ;;
    r3f*) rung "$R3F" ;;
    esac
    all_done
done
for target in $TARGETS; do
    corpora=$WORK/target/alone.yaml options=
    if [[ $target == *-xnli* ]]; then corpora=$TARGET_CORPORA; fi
    if [[ $target == *-lora ]]; then options=$lora; fi
    for seed in $SEEDS; do
        start=$(start_of "$target" "$seed")
        # shellcheck disable=SC2086  # a list of words
        at_once "target-$target-seed$seed" "$PYTHON" "$root/scripts/two_stage.py" "$WORK/target/$target" "$DATA_BIN" \
            --corpora "$corpora" --arch "${VARIANT}_$SIZE" --single-arch "${VARIANT}_$SIZE" --init-from "$start" \
            --stages single --seeds "$seed" --max-epoch "$TARGET_EPOCHS" --patience "$TARGET_EPOCHS" \
            --device "$DEVICE" --split "$SPLIT" --discard-models --single="--no-last-checkpoints $options" \
            -- --loss-scaling none --batch-size "$BATCH" $constant --max-length "$MAX_LENGTH" $OPTIONS
    done
    add_rows "$target" "$WORK/target/$target" single
done
published=()
case $VARIANT-$SPLIT in
mt5-valid) published=(--published "$here/table4.14-mt5.json") ;;
*-valid) published=(--published "$here/table4.14.json") ;;
*-test) published=(--published "$here/table4.15.json") ;;
esac
show_table target "${published[@]}"
against=()
if [[ " $TARGETS " == *" encoder "* ]]; then against=(--baseline encoder); fi  # table 4.14's numbers are of two encoders
show_table target-micro --metric ctkfacts:accuracy "${against[@]}"
