"""Random skills are those that SkillNet-X's table 7 prints."""

from __future__ import annotations

from pathlib import Path

import pytest

from skill_plugin.analysis.perturbation.perturb import SEEDS, draw_skills
from skill_plugin.spec import read_corpora_file

SKILLNET_X = Path(__file__).parents[3] / "examples/skillnet_x/corpora.yaml"
# table 7: the numbers of the task skills for MNLI, QNLI, SST-2, SQuAD 1.1, CoNLL03
TABLE = {
    42: ["156", "16", "346", "134", "156"],
    624: ["4", "12356", "12346", "12356", "35"],
    123: ["5", "13", "5", "36", "2356"],
}


@pytest.mark.parametrize("seed", TABLE)
def test_the_papers_table(seed: int) -> None:
    file = read_corpora_file(SKILLNET_X)
    numbers = {skill: str(number) for number, skill in enumerate(file.skills, 1)}
    corpora = list(file.corpora)  # the five of the table come first
    for asked in (corpora[:5], corpora):
        drawn = draw_skills(asked, list(file.skills), seed)
        assert list(drawn) == asked
        assert ["".join(map(numbers.__getitem__, drawn[name])) for name in asked[:5]] == TABLE[seed]
    assert tuple(TABLE) == SEEDS


def test_an_empty_set_is_drawn_again() -> None:
    names = [f"corpus-{number}" for number in range(200)]
    for skills in (["one"], ["one", "two"]):
        drawn = draw_skills(names, skills, 7)
        assert all(drawn.values())
        assert {skill for chosen in drawn.values() for skill in chosen} == set(skills)
    assert draw_skills(names, ["one", "two"], 7) == drawn != draw_skills(names, ["one", "two"], 8)
