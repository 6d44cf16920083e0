#!/usr/bin/env bash
# Section 4.4, table 4.14: a target corpus that the ladder has not seen, in the form of XNLI, by fine-tuning and by LoRA
# (section 3.5), from the encoder and from the joint model of the same seed. Table: $WORK/lora.md
# RUNG: which joint model. TARGET_EPOCHS: the best of them is scored.
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"
RUNG=${RUNG:-r3f}
TARGET_EPOCHS=${TARGET_EPOCHS:-100}
lora="--lora-rank 32 --lora-alpha 32 --lora-dropout 0.1 --lr ${LORA_LR:-5e-4}"

target() { # NAME START OPTIONS: START is encoder or joint
    local seed start
    for seed in $SEEDS; do
        start=$ENCODER
        if [[ $2 == joint ]]; then start=$WORK/$RUNG/seed$seed/joint/checkpoint_last.pt; fi
        # shellcheck disable=SC2086  # a list of words
        show "$PYTHON" "$root/scripts/two_stage.py" "$WORK/target/$1" "$DATA_BIN" --corpora "$here/target.yaml" \
            --arch "${VARIANT}_$SIZE" --single-arch "${VARIANT}_$SIZE" --init-from "$start" --stages single \
            --seeds "$seed" --max-epoch "$TARGET_EPOCHS" --patience "$TARGET_EPOCHS" --device "$DEVICE" \
            --discard-models --single="$3" -- --loss-scaling none --batch-size "$BATCH" --lr "$LR" \
            --lr-scheduler fixed --max-length "$MAX_LENGTH" $OPTIONS
    done
}

rung "$RUNG"
target fine-tuning encoder ""
add_rows "fine-tuning" "$WORK/target/fine-tuning" single
target joint-fine-tuning joint ""
add_rows "joint + fine-tuning" "$WORK/target/joint-fine-tuning" single
target lora encoder "$lora"
add_rows "LoRA" "$WORK/target/lora" single
target joint-lora joint "$lora"
add_rows "joint + LoRA" "$WORK/target/joint-lora" single
show_table lora
