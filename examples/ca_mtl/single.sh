#!/usr/bin/env bash
# Each corpus by itself with the dense model, all of it trained (the ST rows of tables 3.2 and 3.9), beside the dense mixture and
# CA-MTL; below ours table 3.2's of BERT base, which are of GLUE's test server. JOBS runs at a time. Table: $WORK/single.md
source "$(dirname "${BASH_SOURCE[0]}")/settings.sh"
EPOCHS=${EPOCHS:-5}                      # section 3.7.5
single
add_row single "$WORK/single" single
for sampling in uniform uncertainty; do
    variant=dense
    if [[ $sampling == uncertainty ]]; then variant=ca_mtl; fi
    glue "$WORK/glue/$variant-$sampling" "${variant}_$SIZE" "$sampling"
    add_row "$variant" "$WORK/glue/$variant-$sampling"
done
show_table single --columns "$CORPORA" --baseline single --published "$here/table3.2.json"
