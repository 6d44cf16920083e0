"""Time spans as a person says them."""

from skill_plugin.report.duration import show_duration


def test_the_two_largest_units() -> None:
    assert [show_duration(seconds) for seconds in (0.4, 60, 3605, 86_400)] == ["0 s", "1 min", "1 h", "1 d"]
