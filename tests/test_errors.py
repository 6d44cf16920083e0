"""Messages for people: one line each, in which no value fills the screen."""

from __future__ import annotations

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_plugin.cli.lazy_group import LazyGroup
from skill_plugin.cli.main import skill_plugin
from skill_plugin.errors import InputError, with_short_values

LONG = "x" * 10_000


@given(st.text(min_size=1000).map(lambda text: text * 10))
def test_a_value_of_any_characters_is_cut_and_what_stands_around_it_is_not(value: str) -> None:
    message = with_short_values(f"fairseq's kind {value!r} is unknown; did you mean 'span'?")
    assert len(message) < 140
    assert message.startswith("fairseq's kind ")
    assert message.endswith(" is unknown; did you mean 'span'?")
    assert with_short_values(message) == message


def test_values_without_quotes_and_names_of_files() -> None:
    for value in (LONG, "x " * 5000):
        assert str(InputError(f"--seeds {value}: expected numbers")).endswith("…: expected numbers")
        assert len(str(InputError(f"--seeds {value}: expected numbers", value, 3))) < 250
    path = f"/tmp/{'folder/' * 40}file.pt"
    assert str(InputError("no such file", path)) == f"{path}: no such file"
    assert str(InputError(f"is the same as {path}")) == f"is the same as {path}"
    assert str(InputError(f"{path!r} ends with none of .png, .svg")) == f"{path!r} ends with none of .png, .svg"
    names = ", ".join(f"name{n}" for n in range(90))
    assert str(InputError(f"expected one of: {names}")) == f"expected one of: {names}"
    assert len(str(InputError("a, " * 5000))) < 2100


def test_wrong_usage_is_as_short() -> None:
    assert isinstance(skill_plugin, LazyGroup)
    for line in ([LONG], ["evaluate", "a", "b", "--split", LONG], ["check", "c.yaml", "--max-length", LONG]):
        with pytest.raises(click.UsageError) as caught:
            skill_plugin.main(args=line, standalone_mode=False)
        assert len(caught.value.format_message()) < 300
        assert "xxx…" in caught.value.format_message()
