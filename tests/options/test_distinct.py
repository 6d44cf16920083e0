"""Lists in which nothing stands twice."""

import pytest

from skill_plugin.errors import InputError
from skill_plugin.options.distinct import refuse_repeats
from skill_plugin.spec.names import read_only_corpora


def test_what_stands_twice_is_named() -> None:
    refuse_repeats([], "--seeds")
    refuse_repeats([1, 2, 3], "--seeds")
    with pytest.raises(InputError, match=r"^--seeds: names 2 twice$"):
        refuse_repeats([1, 2, 3, 2], "--seeds")
    with pytest.raises(InputError, match=r"^--only-corpora: names 'a' twice$"):
        read_only_corpora("a, b,a")
