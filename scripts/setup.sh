#!/usr/bin/env bash
# Makes .venv beside this folder with everything for use and tests. Does nothing where that is already so.
#   PYTHON=/path/to/python3.11 bash scripts/setup.sh    to choose the interpreter
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
venv=$root/.venv
stamp=$venv/.skill_plugin_setup

# What was installed follows from these; the folder counts because a virtual environment does not survive being moved.
wanted=$({ cat setup.py constraints.txt scripts/setup.sh; echo "$root"; } | sha256sum | cut -d' ' -f1)
if [[ -f $stamp && $(<"$stamp") == "$wanted" && -x $venv/bin/fairseq-train ]]; then
    exit 0
fi

find_python() {
    local candidate
    for candidate in ${PYTHON:-} python3.11 python3.12 python3 python; do
        # A name on the path is not enough: version managers leave stubs there for versions that are switched off.
        if "$candidate" -c 'import sys, venv; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 12))' 2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
    echo "scripts/setup.sh: needs Python 3.11 or 3.12; found neither (name one with PYTHON=...)" >&2
    return 1
}

if ! "$venv/bin/python" -m pip --version >/dev/null 2>&1; then  # absent, or left half made by an interrupted run
    python=$(find_python)
    echo "scripts/setup.sh: making $venv with $("$python" --version)"
    "$python" -m venv --clear "$venv"
fi
rm -f "$stamp"
pip=("$venv/bin/python" -m pip -qq --no-input --disable-pip-version-check)

# torch first and alone: whatever follows then finds it there, and no other build of it is fetched.
echo "scripts/setup.sh: installing torch"
"${pip[@]}" install pip -c constraints.txt  # half the time of the pip that comes with Python
"${pip[@]}" install --no-compile torch -c constraints.txt
echo "scripts/setup.sh: installing the package with its dependencies"
"${pip[@]}" install --no-compile -e '.[train,export,formats,serve,test,dev,docs]' -c constraints.txt

# ve-fairseq asks for torchaudio, for its speech tasks. torchaudio's compiled part fits one torch release only, and beside
# any other `import torchaudio` fails. transformers, which imports it whenever it is installed, then fails with it, and
# nothing here uses it.
"${pip[@]}" uninstall --yes torchaudio 2>/dev/null

# Compiled here rather than by pip, which does it on one core. Some packages ship files that are no Python of this version.
"$venv/bin/python" -W ignore -m compileall -q -j 0 -x '/(tests|examples)/' "$venv"/lib/python3*/site-packages >/dev/null 2>&1 || true

echo "$wanted" >"$stamp"
echo "scripts/setup.sh: done; use $venv/bin/skill-plugin and $venv/bin/fairseq-train"
