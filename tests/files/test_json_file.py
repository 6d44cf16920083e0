from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from skill_plugin.errors import InputError
from skill_plugin.files.json_file import parse_json, read_json, write_json


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ('{\n"a": }', ":2", "not JSON: Expecting value (column 6)"),
        ("[" * 100_000, "", "not JSON that can be read: nested too deeply"),
        ('{"a":' * 5_000 + "1" + "}" * 5_000, "", "not JSON that can be read: nested too deeply"),
        ('{"a": ' + "1" * 6_000 + "}", "", "not JSON that can be read: a number of thousands of digits"),
        ("[1]", "", "expected a JSON object, found list"),
        (
            '{"a": {"b": 1, "x":\n[]},\n "c": "b\\"{:",\n"\\u0061" : 2,\n"x": 3}',
            ":4",
            "not JSON that can be read: the key 'a' stands twice in an object, with different values",
        ),
        ("", ":1", "not JSON: Expecting value (column 1)"),
    ],
)
def test_whatever_a_file_holds_is_one_line(tmp_path: Path, text: str, place: str, message: str) -> None:
    path = tmp_path / "file.json"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        read_json(path)
    assert str(error.value) == f"{path}{place}: {message}"


def test_a_key_may_stand_twice_with_one_value() -> None:
    assert parse_json('{"a": [1, {"b": null}], "b": 2, "a": [1, {"b": null}]}') == {"a": [1, {"b": None}], "b": 2}
    for one, other in (("1", "1.0"), ("1", "true"), ('"1"', "1"), ('{"x": 1}', '{"x": 2}')):
        with pytest.raises(InputError, match="rows:7: not JSON that can be read: the key 'k' stands twice"):
            parse_json(f'[{{"k": {one}, "k": {other}}}]', "rows", 7)


def test_other_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="none: no such file or directory"):
        read_json(tmp_path / "none")
    (tmp_path / "latin").write_bytes(b'{"a": "\xe9"}')
    with pytest.raises(InputError, match=r"latin: not UTF-8 \(byte 7\)"):
        read_json(tmp_path / "latin")
    with pytest.raises(InputError, match="rows:7: not JSON"):
        parse_json("{", "rows", 7)


def test_what_is_written_is_json(tmp_path: Path) -> None:
    infinite = float("inf")
    value = {"a": [1, (2.5, float("nan"))], "b": {"c": infinite, "d": -infinite}, "e": np.float64(0.5), "f": "ü"}
    write_json(tmp_path / "out.json", value)

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    text = (tmp_path / "out.json").read_text(encoding="utf-8")
    expected = {"a": [1, [2.5, None]], "b": {"c": None, "d": None}, "e": 0.5, "f": "ü"}
    assert json.loads(text, parse_constant=refuse) == expected
