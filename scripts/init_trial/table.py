"""The outcome as a table in Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from compare import SetResult

PARTS = ("all", "development", "held-out")
OUTCOMES = ("right", "open", "wrong")


def print_table(sets: Sequence[SetResult], held: Collection[str], show: str) -> None:
    parts = {
        "all": sets,
        "development": [one for one in sets if one.name not in held],
        "held-out": [one for one in sets if one.name in held],
    }
    print("| sets | " + " | ".join(OUTCOMES) + " | wrong without a word | language | splits | labels |")
    print("| --- " * 8 + "|")
    for name, part in parts.items():
        counts = Counter(one.outcome for one in part)
        silent = sum(one.outcome == "wrong" and not one.told for one in part)
        others = " | ".join(_share([getattr(one, what) for one in part]) for what in ("language", "splits", "labels"))
        numbers = " | ".join(str(counts[outcome]) for outcome in OUTCOMES)
        print(f"| {name} ({len(part)}) | {numbers} | {silent} | {others} |")
    print("\n| set | kind and columns | but | check |\n| --- | --- | --- | --- |")
    for one in parts[show]:
        faults = "" if one.faults is None else f"{one.faults} faults" if one.faults else "good"
        but = [*one.why, *(what for what in ("language", "splits", "labels") if getattr(one, what) is False)]
        if one.outcome != "right" or but or one.faults:
            print(f"| {one.name} | {one.outcome} | {'; '.join(but)} | {faults} |")


def _share(values: Sequence[bool | None]) -> str:
    told = [value for value in values if value is not None]
    return f"{sum(told)} of {len(told)}"
