"""A graph with an edge to each target from its best source (thesis, figures 4.2 to 4.4)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

from skill_plugin.files.figure_file import save_figure
from skill_plugin.files.whole_file import write_text

DOT = ".dot"


def draw_graph(best: Mapping[str, str], title: str, path: Path) -> None:
    """Writes the graph as Graphviz's text, or draws it.

    Args:
        best: target -> its best source.
        title: what the graph shows.
        path: ends with ``.dot``, or with what says a picture's format to matplotlib. The file is there whole or not at
            all.

    Raises:
        InputError: it cannot be written.
    """
    if path.suffix.lower() == DOT:
        write_text(path, dot_text(best, title))
    else:
        _draw(best, title, path)


def dot_text(best: Mapping[str, str], title: str) -> str:
    """The graph in Graphviz's language."""
    names = dict.fromkeys((*best, *best.values()))
    nodes = [f"  {_quoted(name)};" for name in names]
    edges = [f"  {_quoted(source)} -> {_quoted(target)};" for target, source in best.items()]
    return "\n".join((f"digraph {_quoted(title)} {{", *nodes, *edges, "}")) + "\n"


def _quoted(name: str) -> str:
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _draw(best: Mapping[str, str], title: str, path: Path) -> None:
    from matplotlib.figure import Figure  # takes a while to load; without pyplot there is no display to look for

    names = list(dict.fromkeys((*best, *best.values())))
    places = {
        name: (math.sin(2 * math.pi * i / len(names)), math.cos(2 * math.pi * i / len(names)))
        for i, name in enumerate(names)
    }
    figure = Figure(figsize=(6, 6), layout="constrained")
    axes = figure.subplots()
    axes.set(xlim=(-1.4, 1.4), ylim=(-1.3, 1.3), title=title)
    axes.axis("off")
    for target, source in best.items():
        mutual = best.get(source) == target
        style = {"arrowstyle": "-|>", "shrinkA": 24, "shrinkB": 24, "color": "tab:blue"}
        style["connectionstyle"] = "arc3,rad=0.15" if mutual else "arc3,rad=0"  # two edges lie beside one another
        axes.annotate("", places[target], places[source], arrowprops=style)
    for name, (x, y) in places.items():
        axes.text(x, y, name, ha="center", va="center", bbox={"boxstyle": "round", "fc": "white", "ec": "tab:blue"})
    save_figure(figure, path)
