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
JOBS=${JOBS:-1}                          # runs side by side on one device
TABLES_ONLY=${TABLES_ONLY:-no}           # yes: makes no run, and tables of those that are in $WORK, of all of their seeds
JSON=${JSON:-yes}                        # no: tables as Markdown only
if [[ $TABLES_ONLY == yes ]]; then
    SEEDS=${SEEDS:-$(find "$WORK" -type d -name 'seed[0-9]*' | sed 's/.*seed//' | sort -nu | paste -sd' ')}
fi
if [[ $JOBS -gt 1 ]]; then               # or their threads would wait for one another
    export OMP_NUM_THREADS=${OMP_NUM_THREADS:-1}
fi

setting() { # PRESET KEY: a number of the published settings, which `skill-plugin train --preset` takes too
    sed -n "s/^  $2: *[[\"]*\([^]\" #]*\).*/\1/p" "$root/skill_plugin/pipeline/presets/$1.yaml"
}

preset() { # NAME: all published settings, as options of fairseq-train; options behind them win
    "$PYTHON" -m skill_plugin.pipeline.preset "paper:$1"
}

show() { # COMMAND…
    echo "\$ $*"
    "$@"
}

import_encoder() { # [FOLDER]: a downloaded encoder to $ENCODER, which without a folder must be there
    : "${SKILL_DATA:?the folder with a folder for each data set; see README.md}"
    mkdir -p "$WORK"
    if [[ $# -gt 0 ]]; then show "$PYTHON" -m skill_plugin import "$1" "$ENCODER"; fi
}

binarise() { # CORPORA_FILE DATA_BIN [OPTIONS OF skill-plugin prepare…]; tables alone need no data
    if [[ $TABLES_ONLY == yes ]]; then return; fi
    show "$PYTHON" -m skill_plugin prepare "$1" "$2" --encoder "$ENCODER" "${@:3}"
}

failed=no                                # whether a run of at_once did

at_once() { # NAME PROGRAM…: beside others, up to JOBS of them, with the output in $WORK/logs/NAME.log; if it fails, others go on
    local log=$WORK/logs/${1//\//-}.log shell=$BASHPID status=0
    if [[ $TABLES_ONLY == yes ]]; then return; fi
    if [[ $JOBS -le 1 ]]; then
        show "${@:2}" || status=$?
        if [[ $status -gt 128 ]]; then exit "$status"; fi  # it was stopped
        if [[ $status -ne 0 ]]; then
            echo "$1 failed" >&2
            failed=yes
        fi
        return
    fi
    mkdir -p "$WORK/logs"
    trap stop_all EXIT
    trap 'failed=yes' USR1
    trap 'exit 1' TERM
    trap 'exit 130' INT # Ctrl-C, which what runs in the background does not hear
    while [[ $(jobs -rp | wc -l) -ge $JOBS ]]; do wait -n || true; done
    echo "\$ ${*:2} >$log"
    (
        "${@:2}" >"$log" 2>&1 &
        trap 'kill $! 2>/dev/null; exit 143' TERM
        wait $! && exit
        echo "$1 failed: $(tail -n 1 "$log"); see $log" >&2
        kill -USR1 "$shell"
    ) &
}

all_done() { # waits for what at_once began; runs that failed end the recipe
    while [[ -n $(jobs -rp) ]]; do wait -n || true; done
    if [[ $failed == yes ]]; then
        echo "not all runs are there: the same command makes what is missing, TABLES_ONLY=yes shows the others" >&2
        exit 1
    fi
}

stop_all() { # what at_once began and still runs; it goes on when the recipe is run again
    local running
    running=$(jobs -rp)
    # shellcheck disable=SC2086  # a list of numbers
    if [[ -n $running ]]; then kill $running 2>/dev/null || true; fi
}

rows=() # NAME=FOLDER of the table that show_table prints

show_table() { # NAME [OPTIONS OF compare_runs…]: also as $WORK/NAME.md and $WORK/NAME.json
    local options=()
    all_done
    if [[ $TABLES_ONLY == yes ]]; then options+=(--partial); fi
    if [[ $JSON == yes ]]; then options+=(--json "$WORK/$1.json"); fi
    echo
    "$PYTHON" "$root/scripts/compare_runs" "${rows[@]}" --markdown "$WORK/$1.md" "${options[@]}" "${@:2}"
}
