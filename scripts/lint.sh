#!/usr/bin/env bash
# The linters, which scripts/test.sh and pre-commit run; needs .venv (scripts/setup.sh). All run, whichever failed before.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export PATH=$PWD/.venv/bin:$PATH
failed=0
check() {
    echo "== $*"
    "$@" || failed=1
}
check ruff check .
check ruff format --check .
check mypy
check lint-imports
exit $failed
