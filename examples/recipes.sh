# What the recipes of all papers share. settings.sh of each folder sources it, with `here` set to that folder.
set -euo pipefail
root=$(cd "$here/../.." && pwd)

PYTHON=${PYTHON:-python}                 # that of the environment where the plugin is installed
WORK=${WORK:-$(basename "$here")}        # everything that the recipes write
DATA_BIN=${DATA_BIN:-$WORK/data-bin}
ENCODER=${ENCODER:-$WORK/encoder.pt}     # the pretrained encoder, imported
SIZE=${SIZE:-small}                      # of the encoder
DEVICE=${DEVICE:-$("$PYTHON" -c 'import torch; print("cuda" if torch.cuda.is_available() else "cpu")')}
OPTIONS=${OPTIONS:-}                     # more options of fairseq-train, e.g. --autocast bf16

show() { # COMMAND…
    echo "\$ $*"
    "$@"
}

import_encoder() { # [FOLDER]: a downloaded encoder to $ENCODER, which without a folder must be there
    : "${SKILL_DATA:?the folder with a folder for each data set; see README.md}"
    mkdir -p "$WORK"
    if [[ $# -gt 0 ]]; then show "$PYTHON" -m skill_plugin import "$1" "$ENCODER"; fi
}

binarise() { # CORPORA_FILE DATA_BIN [OPTIONS OF skill-plugin prepare…]
    show "$PYTHON" -m skill_plugin prepare "$1" "$2" --encoder "$ENCODER" "${@:3}"
}

rows=() # NAME=FOLDER of the table that show_table prints

show_table() { # NAME [OPTIONS OF compare_runs…]: also as $WORK/NAME.md and $WORK/NAME.json
    echo
    "$PYTHON" "$root/scripts/compare_runs" "${rows[@]}" --markdown "$WORK/$1.md" --json "$WORK/$1.json" "${@:2}"
}
