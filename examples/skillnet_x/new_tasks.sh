#!/usr/bin/env bash
# Table 8 and figure 3b of the paper (section 5.4): two corpora that no model has seen, each trained by itself from the
# encoder and from each model of compare.sh: bash new_tasks.sh [OPTIONS OF fairseq-train…]. JOBS runs at a time.
# Tables and plot: $WORK/new_tasks/{table.md,curve.md,curve.png}
VARIANTS=${VARIANTS:-dense moe_top2 skillnet_x_ffn_mha}  # table 8's
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"
NEW_UPDATES=${NEW_UPDATES:-1000}         # figure 3b's last
NEW_LR=${NEW_LR:-5e-5}                   # section 5.4 tries 1e-5, 2e-5 and this
EVERY=${EVERY:-100}                      # updates from score to score
NEW_BIN=${NEW_BIN:-$WORK/new-bin}
NEW_CORPORA_FILE=${NEW_CORPORA_FILE:-$here/new_tasks.yaml}

if [[ ! -e $NEW_BIN/manifest.json ]]; then binarise "$NEW_CORPORA_FILE" "$NEW_BIN"; fi
starts=(--start "encoder=dense_$SIZE:$ENCODER" --published encoder=90.62,88.74)
for variant in $VARIANTS; do
    trained=$WORK/table5/$variant/seed${SEEDS%% *}/joint/checkpoint_last.pt
    if [[ ! -e $trained ]]; then echo "$trained: no such file; compare.sh makes it" >&2; exit 1; fi
    starts+=(--start "$variant=${variant}_$SIZE:$trained")
    case $variant in                     # table 8
    dense) starts+=(--published "$variant=91.55,87.96") ;;
    moe_top2) starts+=(--published "$variant=91.54,87.98") ;;
    skillnet_x_ffn_mha) starts+=(--published "$variant=92.69,89.88") ;;
    esac
done
# shellcheck disable=SC2086  # lists of words
show "$PYTHON" "$root/scripts/learning_curves.py" "$WORK/new_tasks" "$NEW_BIN" --corpora "$NEW_CORPORA_FILE" "${starts[@]}" \
    --seeds $SEEDS --updates "$NEW_UPDATES" --every "$EVERY" --jobs "$JOBS" --device "$DEVICE" \
    -- --lr "$NEW_LR" --batch-size "$BATCH" $OPTIONS "$@"
