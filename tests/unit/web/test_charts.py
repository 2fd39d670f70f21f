"""Where bars and dots stand."""

from __future__ import annotations

from daemon.web.charts import HEIGHT, WIDTH, bars, curve


def test_the_highest_fills_the_height_and_nothing_leaves_the_drawing() -> None:
    """Bars stand side by side on the ground; what was spent is seen, however little."""
    found = bars([0.0, 1.0, 1_000.0], [500.0] * 3, ["info"] * 3, ["a", "b", "c"])
    assert [one.height for one in found] == [0.0, 1.5, HEIGHT]
    assert all(one.y + one.height == HEIGHT for one in found)
    assert all(one.x >= 0 and one.x + one.width <= WIDTH for one in found)
    assert [one.cap_y for one in found] == [HEIGHT / 2] * 3


def test_days_without_money_are_an_empty_drawing() -> None:
    """No division by nothing."""
    assert [one.height for one in bars([0.0, 0.0], [0.0, 0.0], ["", ""], ["", ""])] == [0.0, 0.0]
    assert bars([], [], [], []) == ()


def test_a_curve_goes_from_left_to_right_and_up() -> None:
    """1 is above 0; a share beyond its bounds stays in the drawing; a single dot is in the middle."""
    low, high, beyond = curve([0.0, 1.0, 7.0], ["", "", ""], ["", "", ""])
    assert low.x < high.x < beyond.x
    assert HEIGHT > low.y > high.y == beyond.y > 0
    assert curve([0.5], [""], [""])[0].x == WIDTH / 2
