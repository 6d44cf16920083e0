"""An option that is declared is one everywhere: read, on a command, in fairseq's configuration and in a checkpoint."""

from __future__ import annotations

import dataclasses
from dataclasses import asdict, dataclass, field
from typing import Any

import click
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from skill_plugin.cli.model_options import add_options
from skill_plugin.errors import InputError
from skill_plugin.files.validated import validate
from skill_plugin.options.allowed_values import Range
from skill_plugin.options.option import Options, option
from skill_plugin.variants.model_options import OPTIONS, ModelOptions


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


@dataclass(frozen=True)
class Inner(Options):
    title = "inner"

    share: float | None = option("share", float, None, "a share", allowed=Range(0, 1))
    words: tuple[str, ...] = option("some_words", str, "a b", "words", read=_words)


@dataclass(frozen=True)
class Outer(Options):
    title = "outer"

    size: int = option("size", int, 4, "a size", allowed=Range(1))
    is_wide: bool = option(
        "form", str, "wide", "a form", choices=("wide", "long"), read=lambda form: form == "wide", absent=False
    )
    loud: bool = option("loud", bool, False, "a flag")
    inner: Inner = field(default=Inner())


def test_what_stands_for_what_was_not_given() -> None:
    assert Outer() == Outer(4, False, False, Inner(None, ("a", "b")))
    assert Outer.read({one.name: one.default for one in Outer.options()}) == Outer(4, True, False, Inner())
    assert [one.flag for one in Outer.options()] == ["--size", "--form", "--loud", "--share", "--some-words"]


@given(
    st.integers(1, 9),
    st.sampled_from(["wide", "long"]),
    st.booleans(),
    st.none() | st.floats(0, 1),
    st.lists(st.text("xyz", min_size=1)),
)
def test_a_command_reads_what_is_written(
    size: int, form: str, loud: bool, share: float | None, words: list[str]
) -> None:
    @click.command()
    @add_options(Outer.options())
    def command(**written: Any) -> None:
        read.append(Outer.read(written))

    read: list[Outer] = []
    arguments = ["--size", str(size), "--form", form, *["--loud"] * loud, "--some-words", " ".join(words)]
    arguments += [] if share is None else ["--share", repr(share)]
    done = CliRunner().invoke(command, arguments, standalone_mode=False)
    assert done.exception is None
    expected = Outer(size, form == "wide", loud, Inner(share, tuple(words)))
    assert read == [expected] == [validate(Outer, asdict(expected), None)]
    given = {"size": size, "form": form, "loud": loud, "share": share, "some_words": ",".join(words)}
    defaults = {"size": 4, "form": "long", "loud": False, "share": None, "some_words": "a,b"}
    assert expected.given() == {name: value for name, value in given.items() if value != defaults[name]}


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [("size", 0, "--size 0: expected 1 or more"), ("share", 1.5, "--share 1.5: expected 0 to 1")],
)
def test_out_of_range(name: str, value: float, message: str) -> None:
    written = {one.name: one.default for one in Outer.options()}
    with pytest.raises(InputError, match=message):
        Outer.read({**written, name: value})


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"sise": 4}, "x.pt: damaged: sise: Unexpected keyword argument"),
        ({"inner": {"share": "much"}}, r"x.pt: damaged: inner.share: Input should be a valid number"),
        ({"inner": {"words": None}}, r"x.pt: damaged: inner.words: Input should be a valid tuple"),
    ],
)
def test_damaged_values_of_a_file(values: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        validate(Outer, values, "x.pt")


def test_what_a_file_lacks_has_its_default_or_is_named() -> None:
    assert validate(Outer, {"size": 9}, None) == Outer(9)

    @dataclass
    class Needed:
        size: int

    with pytest.raises(InputError, match=r"^damaged: lacks 'size'$"):
        validate(Needed, {}, None)


def test_fairseq_knows_every_option_of_the_model() -> None:
    from skill_plugin.models.skill_encoder_config import SkillEncoderConfig, written_in

    config = SkillEncoderConfig()
    names = {one.name: one for one in dataclasses.fields(SkillEncoderConfig) if one.name != "_name"}
    assert list(names) == [one.name for one in OPTIONS]
    assert written_in(config) == {one.name: one.default for one in OPTIONS}
    for one in OPTIONS:
        assert names[one.name].metadata.get("allowed") is one.allowed
        if one.choices:
            assert [member.value for member in names[one.name].type] == list(one.choices)
    read = ModelOptions.read(written_in(config))
    assert dataclasses.replace(read, freeze="none") == ModelOptions()
