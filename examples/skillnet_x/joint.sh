#!/usr/bin/env bash
# The models that new_tasks.sh starts from: each of VARIANTS trained on the eleven corpora, from the encoder, JOBS of them at
# a time: bash joint.sh [OPTIONS OF fairseq-train…]. Checkpoints and scores: $WORK/joint/VARIANT; logs beside them
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"
mkdir -p "$WORK/joint"
export here WORK SIZE
export INITIAL=${INITIAL:-$ENCODER}
# shellcheck disable=SC2016,SC2086  # for the inner shell; a list of words
printf '%s\n' $VARIANTS | xargs -P "$JOBS" -I{} bash -c '
    ARCH={}_$SIZE SAVE=$WORK/joint/{} bash "$here/train.sh" "$@" >"$WORK/joint/{}.log" 2>&1 ||
        { echo "{} failed; see $WORK/joint/{}.log"; exit 1; }' train "$@"
for variant in $VARIANTS; do
    echo "$variant"
    tail -n 25 "$WORK/joint/$variant.log"
done
