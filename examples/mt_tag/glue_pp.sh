#!/usr/bin/env bash
# Table 5 of the paper (section 6.2): sixteen corpora, each by itself and with MT-TaG. It needs all of their files, see
# glue_pp.yaml. Table: $WORK/glue_pp.md
CORPORA_FILE=${CORPORA_FILE:-$(dirname "${BASH_SOURCE[0]}")/glue_pp.yaml}
SIZE=${SIZE:-large}                      # the paper's encoder for this table
SMALL=${SMALL:-rte,mrpc,stsb,cola,rotten-tomatoes,wic,cb,boolq,copa}
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"
if [[ ! -e $DATA_BIN/wic ]]; then binarise "$CORPORA_FILE" "$DATA_BIN"; fi
two_stage "$WORK/glue_pp" "mt_tag_$SIZE" "$CORPORA_FILE" "single $STAGES" "$SEEDS" --small "$SMALL"
add_rows single "$WORK/glue_pp" single
add_rows mt_tag "$WORK/glue_pp" "$STAGES"
show_table glue_pp --small "$SMALL" --published "$here/table5.json"
