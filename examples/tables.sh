# The tables of measured results, which results/tables.sh of each folder makes: it sources this file.
set -euo pipefail
results=$(cd "$(dirname "${BASH_SOURCE[1]}")" && pwd)

tables_of() { # RECIPE…: what each shows of the results.json in results/, and in the folders there that are runs with other settings
    local folder recipe
    for folder in "$results" "$results"/*/; do
        for recipe in "$@"; do
            TABLES_ONLY=yes JSON=no WORK=${folder%/} DEVICE=cpu bash "$results/../$recipe.sh"
        done
    done
}
