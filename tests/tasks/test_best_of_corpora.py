"""Which corpora peak, over any history of validations, saves and stops."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from skill_plugin.tasks.best_of_corpora import BestOfCorpora

HIGHER = {"a": True, "b": False}
SCORES = st.sampled_from([0.0, 0.25, 0.5, 1.0])


@given(st.lists(st.fixed_dictionaries({"a": SCORES, "b": SCORES}), min_size=1, max_size=8))
def test_the_last_peak_is_the_last_of_the_best(history: list[dict[str, float]]) -> None:
    kept, peak = BestOfCorpora(), {}
    for update, scores in enumerate(history):
        kept.validated(update, scores, HIGHER)
        found = kept.peaks(update)
        peak |= dict.fromkeys(found, update)
        kept.best |= found
    for corpus, best in (("a", max), ("b", min)):
        values = [scores[corpus] for scores in history]
        assert kept.best[corpus] == best(values)
        assert peak[corpus] == len(values) - 1 - values[::-1].index(best(values))


def test_scores_of_another_update_do_not_count() -> None:
    kept = BestOfCorpora()
    assert kept.peaks(0) == {}
    kept.validated(10, {"a": 0.5}, HIGHER)
    assert kept.peaks(11) == {}
    assert kept.peaks(10) == {"a": 0.5}


def test_a_file_that_is_gone_is_written_again(tmp_path: Path) -> None:
    kept = BestOfCorpora()
    (tmp_path / "checkpoint_best_a-shard0.pt").touch()
    kept.restore({"a": 0.75, "b": 0.25}, tmp_path, "-shard0")
    kept.validated(5, {"a": 0.5, "b": 0.5}, HIGHER)
    assert kept.best == {"a": 0.75}
    assert kept.peaks(5) == {"b": 0.5}
