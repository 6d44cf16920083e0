#!/usr/bin/env bash
# All checks and all tests, slow ones too, except those that would make it too long: `bash scripts/test.sh -m long`.
# Arguments go to pytest: `bash scripts/test.sh -m 'not slow' tests/spec`.
# Every check runs even where an earlier one failed; the exit status is 0 only when all are clean.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
here=$PWD
bash "$root/scripts/setup.sh"
export PATH=$root/.venv/bin:$PATH

failed=()
check() {
    echo "== $*"
    "$@" || failed+=("$*")
}
cd "$root"
check bash scripts/lint.sh
check bash scripts/docs.sh
if [[ $# -gt 0 ]]; then
    cd "$here"  # so that paths among the arguments mean what the caller sees
else
    set -- -m 'not long'
fi
# two processes of one thread each: threads that wait for each other would make them ten times slower
export OMP_NUM_THREADS=1 MKL_NUM_THREADS=1
unset PYTHONDONTWRITEBYTECODE  # each of the runs would compile the plugin, which takes a fifth of a short one
check pytest --rootdir "$root" -c "$root/pyproject.toml" -n 2 --dist loadfile --no-loadscope-reorder "$@"

if [[ ${#failed[@]} -gt 0 ]]; then
    printf 'scripts/test.sh: failed: %s\n' "${failed[@]}" >&2
    exit 1
fi
