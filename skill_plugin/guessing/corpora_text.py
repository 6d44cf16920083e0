"""A corpora file with comments that say what was guessed, and why."""

from __future__ import annotations

import json
import os
import textwrap
from typing import Any

from skill_plugin.errors import InputError, shown
from skill_plugin.guessing.corpus_guess import TODO, CorpusGuess, Guessed
from skill_plugin.spec.yaml_lines import LinedDict, load_yaml

SKILLS = {
    "generic": "always on",
    "sentence": "meaning of a sentence",
    "interact": "how two text segments interact",
    "token": "meaning of a token",
}
_FIRST = (
    "Guessed by `skill-plugin init` from the files in {folder}; comments say why. Look at each section, above all "
    "where a comment begins with look or {todo}. `skill-plugin check` reads all files and names every fault."
)
_LONGEST = 118  # characters of a line of which parts can stand on the next one
_COLUMN = 44  # where comments begin
_ORDER = (
    "as", "kind", "language", "skills", "labels", "label_map", "drop_labels", "metric", "scheme", "score_range",
    "decimal", "offsets", "format", "sheet", "encoding", "header", "quoting", "separator", "max_cells", "extra_cells",
    "missing_cells", "on_bad_row", "rows", "each", "where", "label_separator", "word_separator", "columns",
    "split", "train", "valid", "test",
)  # fmt: skip


def corpora_text(found: Guessed, folder: str) -> str:
    """The corpora file; sections with something open are written as comments, so that it can be read as it is.

    Where all are open they are not: what reads the file then says what is missing.

    Args:
        folder: as the person named it.
    """
    whole = [corpus for corpus in found.corpora if not corpus.open] or found.corpora
    names = {corpus.name for corpus in whole}
    whole = [corpus for corpus in whole if corpus.keys.get("as", (None,))[0] in (None, *names)]
    languages = dict.fromkeys(str(corpus.keys["language"][0]) for corpus in whole)
    languages.pop(TODO, None)
    skills = dict.fromkeys(skill for corpus in whole for skill in corpus.keys.get("skills", ((),))[0])
    said = _flow([*languages]) if languages else f"[en]  # {TODO}"
    lines = [
        *_wrapped(f"# {_FIRST.format(folder=shown(folder), todo=TODO)}"),
        f"languages: {said}",
        "skills:",
        *(f"  {skill}: {text}" for skill, text in SKILLS.items() if skill in skills or skill == "generic"),
        "corpora:",
    ]
    for corpus in whole:
        lines += _section(corpus)
    for corpus in found.corpora:
        if corpus not in whole:
            lines += ["", *(f"# {line}".rstrip() for line in _section(corpus))]
    if found.left_out:
        lines += ["", f"# {TODO}: no corpus uses these files:"]
        for left in found.left_out:
            lines += _wrapped(f"#   {shown(os.path.relpath(left.path, folder))}: {shown(left.why)}")
    return "\n".join(lines) + "\n"


def _wrapped(comment: str) -> list[str]:
    """A comment in lines that are not too long."""
    begin = comment[: len(comment) - len(comment.lstrip("# "))]
    return textwrap.wrap(
        comment, _LONGEST, subsequent_indent=f"{begin}  ", break_long_words=False, break_on_hyphens=False
    )


def _section(corpus: CorpusGuess) -> list[str]:
    lines = [f"  {_flow(corpus.name)}:"]
    for what in corpus.open:
        lines += _wrapped(f"    # {TODO}: {shown(what)}")
    for what in corpus.doubts:
        lines += _wrapped(f"    # look: {shown(what)}")
    order = sorted(corpus.keys, key=lambda key: _ORDER.index(key) if key in _ORDER else len(_ORDER))
    for key in order:
        value, why = corpus.keys[key]
        line = f"    {key}: {_flow(value)}"
        if len(line) > _LONGEST and isinstance(value, list | dict):
            lines += [*(_wrapped(f"    # {key}: {shown(why)}") if why else []), *_broken(key, value)]
        elif not why:
            lines.append(line)
        elif max(len(line), _COLUMN) + len(why) + 3 <= _LONGEST:
            lines.append(f"{line:<{_COLUMN}} # {shown(why)}")
        else:
            lines += [*_wrapped(f"    # {key}: {shown(why)}"), line]
    return lines


def _broken(key: str, value: list[Any] | dict[Any, Any]) -> list[str]:
    """A list or mapping on several lines, each of which ends between two items."""
    whole = _flow(value)
    items = [f"{_flow(one)}: {_flow(value[one])}" for one in value] if isinstance(value, dict) else map(_flow, value)
    lines, begun = [f"    {key}:"], f"      {whole[0]}"
    for item in items:
        if len(begun) + len(item) + 2 > _LONGEST and begun.strip():
            lines.append(begun.rstrip())
            begun = "       "
        begun += f"{item}, "
    return [*lines, begun.removesuffix(", ") + whole[-1]]


def _flow(value: Any) -> str:
    """A value as YAML, on one line."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_flow(key)}: {_flow(one)}' for key, one in value.items())}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_flow, value))}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    text = str(value)
    return text if _is_plain(text) else json.dumps(text, ensure_ascii=not text.isprintable())


def _is_plain(text: str) -> bool:
    """Whether YAML reads the text as itself where it stands without quotes, also in a list or mapping."""
    if any(mark in text for mark in "{}[],&*?|<>=!@`\"'#:") or text != text.strip() or text.startswith("%"):
        return False
    if not text.isprintable():
        return False
    try:
        read = load_yaml(f"a: [{text}]", "")
    except InputError:
        return False
    return isinstance(read, LinedDict) and list(read["a"]) == [text]
