"""The keys of a corpus in the corpora file, but for its kind and its splits."""

from __future__ import annotations

import json
from collections.abc import Callable

from skill_plugin.kinds.registry import kind_named
from tests.random_corpora.cells import cells_of
from tests.random_corpora.drawn import TABLES, Drawn
from tests.random_corpora.rows import Columns, Row


def draw_keys(drawn: Drawn, columns: Columns, row: Callable[[], Row]) -> list[str]:
    """Lines of the section.

    Args:
        columns: by their names in the file.
        row: makes a row, for the order of its columns.
    """
    return [
        *_columns(drawn, columns, row),
        *_table(drawn),
        *_reading(drawn),
        *_labels(drawn),
        *_scores(drawn, columns),
        *_text_to_text(drawn, columns),
    ]


def _columns(drawn: Drawn, columns: Columns, row: Callable[[], Row]) -> list[str]:
    """By names, by numbers from 0, or by numbers from the end."""
    if drawn.format in ("squad", "lines"):
        return []
    if drawn.format == "conll":
        columns = {"token": 0, **({"tag": 1} if drawn.kind == "labelling" else {})}
    elif drawn.format in TABLES and not drawn.header:
        order = list(cells_of(drawn.kind, row()))
        first = -len(order) if drawn.rng.random() < 0.3 and not drawn.missing else 0
        columns = {
            meaning: [first + order.index(one) for one in name] if isinstance(name, list) else first + order.index(name)
            for meaning, name in columns.items()
        }
    return [f"columns: {json.dumps(columns)}"]


def _table(drawn: Drawn) -> list[str]:
    if drawn.format not in TABLES:
        return []
    lines = [f"header: {json.dumps(drawn.header)}"]
    lines += [f"separator: {json.dumps(drawn.separator)}"] if drawn.format != "xlsx" else []
    lines += ["extra_cells: drop"] if drawn.rng.random() < 0.15 else []
    lines += ["missing_cells: empty"] if drawn.missing else []
    lines += ["quoting: csv"] if drawn.format == "csv" else []
    return lines


def _reading(drawn: Drawn) -> list[str]:
    encoding = drawn.encoding.removesuffix("-sig")
    lines = [f"encoding: {encoding}"] if encoding != "utf-8" else []
    return lines + (["on_bad_row: skip"] if drawn.rng.random() < 0.3 else [])


def _labels(drawn: Drawn) -> list[str]:
    lines = []
    if drawn.kind in ("classification", "word_in_context") and drawn.rng.random() < 0.5:
        lines.append(f"labels: {json.dumps(drawn.labels)}")
    if drawn.kind in ("classification", "multilabel", "labelling", "word_in_context") and drawn.rng.random() < 0.3:
        lines += ["class_weights: balanced", "label_smoothing: 0.1"]
    return lines


def _scores(drawn: Drawn, columns: Columns) -> list[str]:
    """The main metric, and what heads and metrics ask of it."""
    rng, kind = drawn.rng, kind_named(drawn.kind)
    metric = rng.choice(kind.metrics) if rng.random() < 0.5 else kind.default_metric
    lines = [f"metric: {metric}"] if metric != kind.default_metric else []
    if "positive_label" in kind.options and ((metric == "f1" and len(drawn.labels) > 2) or rng.random() < 0.2):
        lines.append(f"positive_label: {json.dumps(drawn.labels[0])}")
    if drawn.kind == "ranking":
        loss = rng.choice(["pointwise", "listwise", *(["graded"] if "text_b" in columns else [])])
        lines += [f"loss: {loss}"] + (["without_positive: zero"] if rng.random() < 0.3 else [])
    if drawn.kind == "regression":
        lines += ["score_scale: raw"] if rng.random() < 0.3 else []
        lines += ["score_range: [0, 5]"] if rng.random() < 0.3 else []
        lines += ['decimal: ","'] if drawn.decimal == "," else []
    return lines


def _text_to_text(drawn: Drawn, columns: Columns) -> list[str]:
    """Keys that say something for text-to-text models alone."""
    rng, kind = drawn.rng, kind_named(drawn.kind)
    lines = ["prefix: 'ask: this'"] if "prefix" in kind.options and rng.random() < 0.3 else []
    named = [name for name in kind.named_texts(columns) if rng.random() < 0.3]
    lines += [f"text_names: {json.dumps(dict.fromkeys(named, 'x'))}"] if named else []
    answers = kind.fixed_labels or (drawn.labels if kind.has_labels else ("0", "1"))
    if "targets" in kind.options and rng.random() < 0.3:
        lines.append(f"targets: {json.dumps({rng.choice(answers): 'der Hund'})}")
    return lines
