#!/usr/bin/env bash
# Table 4.7 of the thesis (section 3.4): masked language models mixed in, one batch in MLM_SHARE's inverse, without and with R3F
# and loss scaling, beside the joint model without them; the thesis's numbers below are mT5's. Tables: $WORK/mlm.md, and
# $WORK/mlm-tasks.md by task
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"
# shellcheck disable=SC2086  # a list of words
corpora=$(corpora_of $TASKS mlm-en mlm-de mlm-es mlm-zh)
share="--mlm-batch-share ${MLM_SHARE:-0.01}"
rung joint
joint "$WORK/mlm" "$corpora" "$SEEDS" "$heterogeneous $share"
joint "$WORK/mlm-r3f" "$corpora" "$SEEDS" "$heterogeneous $share $r3f $scaling"
add_rows "joint" "$WORK/joint" joint
add_rows "+ MLM" "$WORK/mlm" joint
add_rows "+ MLM, R3F, loss scaling" "$WORK/mlm-r3f" joint
show_table mlm --columns "$(scored)" --baseline joint --published "$here/table4.7.json"
show_table mlm-tasks --columns "$(scored)" --by-task --baseline joint --published "$here/table4.7.json"
