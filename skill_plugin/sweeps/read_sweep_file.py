"""Reads and checks a sweep file."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Hashable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from skill_plugin.errors import InputError, nearest
from skill_plugin.files.json_file import read_text
from skill_plugin.options.distinct import refuse_repeats
from skill_plugin.options.splits import SPLITS
from skill_plugin.spec.averages import AVERAGE
from skill_plugin.spec.yaml_lines import LinedDict, LinedList, load_yaml, show
from skill_plugin.sweeps.axis import read_axes
from skill_plugin.sweeps.options import CORPORA, DATA, Options, merged, read_options
from skill_plugin.sweeps.sweep_file import BEST, LAST, MEAN, UPDATES, VALID, Stage, SweepFile, TableLayout
from skill_plugin.sweeps.variables import fill_in

_Item = TypeVar("_Item", bound=Hashable)

STAGE = "stage"  # the key of init_from
_INPUTS = ("corpora", "data", "encoder")
_OF_STAGE = ("options", "grid", "runs", "each", "checkpoint")
_KEYS = (
    *_INPUTS, *_OF_STAGE, "stages", "seeds", "choose", "evaluate", "discard_checkpoints", "folder", "table", "plot",
)  # fmt: skip
_STAGE_KEYS = (*_OF_STAGE, "init_from")
_EACH = "corpus"


def read_sweep_file(path: Path) -> SweepFile:
    """Reads and checks a sweep file, but for what only ``fairseq-train`` knows of its options.

    Raises:
        InputError: it cannot be read, or the first fault in it, with its line.
    """
    content = load_yaml(read_text(path), path)
    if not isinstance(content, LinedDict):
        raise InputError(f"expected a mapping with corpora, data, encoder, options and grid, not {show(content)}", path)
    return _Reader(path).sweep(fill_in(content, path, 1))


class _Reader:
    def __init__(self, path: Path) -> None:
        self.path = path

    def sweep(self, content: LinedDict) -> SweepFile:
        self.known(content, _KEYS, "")
        whole = self.stage("", content)
        for name in ("corpora", "data"):
            if name not in content and (CORPORA if name == "corpora" else DATA) not in whole.options:
                raise InputError(f"has no {name!r}", self.path, 1)
        stages = self.stages(content) if "stages" in content else (Stage(each=whole.each, checkpoint=whole.checkpoint),)
        if "stages" in content:
            for key in ("each", "checkpoint"):
                if key in content:
                    raise self.fault(content, key, "belongs to a stage where there are stages")
        inputs = LinedDict(1)
        for name in _INPUTS:
            if name in content:
                inputs[name], inputs.lines[name] = content[name], content.lines[name]
        folder = self.text(content, "folder")
        read = SweepFile(
            path=self.path,
            folder=self.path.parent / folder if folder else self.path.with_suffix(""),
            options=merged(read_options(inputs, self.path, 1), whole.options),
            axes=whole.axes,
            stages=stages,
            seeds=self.seeds(content),
            choose=self.text(content, "choose") or AVERAGE,
            evaluate=self.splits(content),
            discard=self.discard(content, [stage.name for stage in stages]),
            plot=self.text(content, "plot"),
        )
        self.check_axes(read)
        self.check_plot(content, read)
        return dataclasses.replace(read, table=self.table(content, read))

    def stage(self, name: str, content: LinedDict) -> Stage:
        grid, runs = self.mapping(content, "grid"), self.mapping(content, "runs")
        return Stage(
            name=name,
            options=self.options(content),
            axes=read_axes(grid, runs, self.path),
            each=self.each(content),
            start=self.start(content),
            checkpoint=self.one_of(content, "checkpoint", (BEST, LAST)) or BEST,
            line=content.line,
        )

    def options(self, content: LinedDict) -> Options:
        value = content.get("options")
        if value is None:
            return {}
        if not isinstance(value, LinedDict | str):
            raise self.fault(content, "options", f"expected a mapping, or a text such as --lr 1e-4, not {show(value)}")
        return read_options(value, self.path, content.lines["options"])

    def stages(self, content: LinedDict) -> tuple[Stage, ...]:
        written = self.mapping(content, "stages")
        stages: list[Stage] = []
        for name, part in (written or {}).items():
            if not isinstance(part, LinedDict):
                raise self.fault(written, name, f"expected a mapping, not {show(part)}")
            self.known(part, _STAGE_KEYS, f"stage {name}: ")
            stage = self.stage(str(name), part)
            before = [one.name for one in stages]
            if stage.start is not None and stage.start not in before:
                message = f"init_from: {stage.start!r} is not a stage above {str(name)!r}{nearest(stage.start, before)}"
                raise InputError(message, self.path, part.lines["init_from"])
            if stage.start is not None and next(one for one in stages if one.name == stage.start).each:
                message = f"init_from: {stage.start!r} trains each corpus by itself; expected one that makes one model"
                raise InputError(message, self.path, part.lines["init_from"])
            stages.append(stage)
        if not stages:
            raise self.fault(content, "stages", "expected one stage or more")
        return tuple(stages)

    def start(self, content: LinedDict) -> str | None:
        if "init_from" not in content:
            return None
        value = content["init_from"]
        if not (isinstance(value, LinedDict) and list(value) == [STAGE] and isinstance(value[STAGE], str | int)):
            raise self.fault(content, "init_from", "expected {stage: NAME}; a file is an option, init-from")
        return str(value[STAGE])

    def each(self, content: LinedDict) -> bool | tuple[str, ...]:
        value = content.get("each")
        if value is None:
            return False
        if value == _EACH:
            return True
        if not isinstance(value, LinedList) or not value:
            raise self.fault(content, "each", f"expected {_EACH!r}, or a list of corpora, not {show(value)}")
        return self.distinct(content, "each", map(str, value))

    def seeds(self, content: LinedDict) -> tuple[int, ...]:
        value = content.get("seeds", [1])
        if not isinstance(value, list) or not value:
            raise self.fault(content, "seeds", f"expected a list of numbers, as [1, 2, 3], not {show(value)}")
        for seed in value:
            if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
                raise self.fault(content, "seeds", f"expected whole numbers from 0, not {show(seed)}")
        return self.distinct(content, "seeds", value)

    def splits(self, content: LinedDict) -> tuple[str, ...]:
        splits = self.names(content, "evaluate") or (VALID,)
        for split in splits:
            if split not in SPLITS:
                raise self.fault(content, "evaluate", f"{split!r} is no split{nearest(split, SPLITS)}")
        return tuple(dict.fromkeys(splits))

    def table(self, content: LinedDict, read: SweepFile) -> TableLayout:
        layout = self.mapping(content, "table") or LinedDict(1)
        self.known(
            layout, [field.name for field in dataclasses.fields(TableLayout) if field.name != "lines"], "table: "
        )
        known = [*dict.fromkeys(axis.name for stage in read.stages for axis in read.axes_of(stage))]
        rows = self.names(layout, "rows")
        for name in rows or ():
            if name not in known:
                raise self.fault(layout, "rows", f"{name!r} is nothing that runs differ in{nearest(name, known)}")
        theirs, entries = self.text(layout, "theirs"), self.mapping(layout, "entries")
        found = TableLayout(
            rows=rows,
            columns=self.names(layout, "columns"),
            small=self.names(layout, "small") or (),
            by_language=self.flag(layout, "by_language"),
            seeds=self.one_of(layout, "seeds", (MEAN, BEST)) or MEAN,
            baseline=self.text(layout, "baseline") or "",
            theirs=None if theirs is None else self.path.parent / theirs,
            entries=None if entries is None else {str(key): self.names(entries, key) or () for key in entries},
            data_used=self.flag(layout, "data_used"),
            lines=layout.lines,
        )
        chooses = found.seeds == BEST or (rows is not None and set(rows) < set(known))
        if chooses and VALID not in read.evaluate:
            raise self.fault(content, "table", "chooses by scores on valid, which 'evaluate' does not name")
        return found

    def check_axes(self, read: SweepFile) -> None:
        for stage in read.stages:
            names = [axis.name for axis in read.axes_of(stage)]
            for name in names:
                if names.count(name) > 1:
                    where = f"stage {stage.name!r}" if stage.name else "the grid"
                    raise InputError(f"{where} has {name!r} twice", self.path, stage.line)

    def check_plot(self, content: LinedDict, read: SweepFile) -> None:
        known = [*dict.fromkeys(axis.name for stage in read.stages for axis in read.axes_of(stage)), UPDATES]
        if read.plot is not None and read.plot not in known:
            raise self.fault(
                content, "plot", f"{read.plot!r} is nothing that runs differ in{nearest(read.plot, known)}"
            )

    def known(self, content: LinedDict, keys: Collection[str], where: str) -> None:
        for key in content:
            if key not in keys:
                raise InputError(
                    f"{where}unknown key {str(key)!r}{nearest(str(key), keys)}", self.path, content.lines[key]
                )

    def mapping(self, content: LinedDict, key: str) -> LinedDict | None:
        value = content.get(key)
        if value is not None and not isinstance(value, LinedDict):
            raise self.fault(content, key, f"expected a mapping, not {show(value)}")
        return value

    def text(self, content: LinedDict, key: str) -> str | None:
        value = content.get(key)
        if value is not None and not isinstance(value, str):
            raise self.fault(content, key, f"expected a name, not {show(value)}")
        return value

    def names(self, content: LinedDict, key: str | int) -> tuple[str, ...] | None:
        value = content.get(key)
        if value is None:
            return None
        if value == []:
            return ()
        items = value if isinstance(value, LinedList) else [value]
        if not items or not all(isinstance(item, str | int) and not isinstance(item, bool) for item in items):
            raise self.fault(content, key, f"expected a list of names, not {show(value)}")
        return self.distinct(content, key, map(str, items))

    def distinct(self, content: LinedDict, key: str | int, items: Iterable[_Item]) -> tuple[_Item, ...]:
        found = tuple(items)
        try:
            refuse_repeats(found, str(key))
        except InputError as error:
            raise self.fault(content, key, error.message.removeprefix(f"{key}: ")) from None
        return found

    def one_of(self, content: LinedDict, key: str, names: Collection[str]) -> str | None:
        value = content.get(key)
        if value is not None and value not in names:
            raise self.fault(content, key, f"{show(value)}: unknown{nearest(str(value), names)}")
        return value

    def flag(self, content: LinedDict, key: str) -> bool:
        value = content.get(key, False)
        if not isinstance(value, bool):
            raise self.fault(content, key, f"expected true or false, not {show(value)}")
        return value

    def discard(self, content: LinedDict, stages: Sequence[str]) -> frozenset[str]:
        value = content.get("discard_checkpoints")
        if value is None or isinstance(value, bool):
            return frozenset(stages if value else ())
        if not isinstance(value, LinedList):
            message = f"expected true, false, or a list of stages, not {show(value)}"
            raise self.fault(content, "discard_checkpoints", message)
        for name in value:
            if name not in stages:
                message = f"{name!r} is no stage{nearest(str(name), filter(None, stages))}"
                raise self.fault(content, "discard_checkpoints", message)
        return frozenset(map(str, value))

    def fault(self, content: LinedDict | None, key: Any, message: str) -> InputError:
        line = None if content is None else content.lines.get(key)
        return InputError(f"{key}: {message}", self.path, line)
