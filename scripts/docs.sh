#!/usr/bin/env bash
# The documentation as a site in site/; broken links and anchors are errors. `bash scripts/docs.sh serve` shows it as you write.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
bash scripts/setup.sh
export PATH=$root/.venv/bin:$PATH PYTHONPATH=$root NO_MKDOCS_2_WARNING=1
case ${1:-build} in
    build) exec mkdocs build ;;
    serve) exec mkdocs serve ;;
    *)
        echo "scripts/docs.sh: expected build or serve, not $1" >&2
        exit 2
        ;;
esac
