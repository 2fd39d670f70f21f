"""The geometry of pictures: values in, places on a drawing out. Templates write them as inline SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

# A drawing is this wide and high; the page stretches it.
WIDTH, HEIGHT = 300.0, 100.0


@dataclass(frozen=True)
class Bar:
    """One bar, and the cap's line above it; all in units of the drawing, y grows downwards."""

    x: float
    width: float
    y: float
    height: float
    cap_y: float
    tone: str
    title: str


@dataclass(frozen=True)
class Dot:
    """One value of a curve; `tone` is the colour of its dot."""

    x: float
    y: float
    tone: str
    title: str


def bars(
    values: Sequence[float], caps: Sequence[float], tones: Sequence[str], titles: Sequence[str]
) -> tuple[Bar, ...]:
    """As many bars as values, side by side; the highest value or cap fills the height.

    A value above 0 is never too low to be seen.
    """
    most = max([*values, *caps, 0.0]) or 1.0
    step = WIDTH / max(1, len(values))
    made = []
    for at, value in enumerate(values):
        height = max(1.5, value / most * HEIGHT) if value > 0 else 0.0
        made.append(
            Bar(
                x=round(at * step + step * 0.12, 2),
                width=round(step * 0.76, 2),
                y=round(HEIGHT - height, 2),
                height=round(height, 2),
                cap_y=round(HEIGHT - caps[at] / most * HEIGHT, 2),
                tone=tones[at],
                title=titles[at],
            )
        )
    return tuple(made)


def curve(shares: Sequence[float], tones: Sequence[str], titles: Sequence[str]) -> tuple[Dot, ...]:
    """Values of 0..1 from left to right; a single one stands in the middle."""
    margin = 6.0
    step = (WIDTH - 2 * margin) / max(1, len(shares) - 1)
    first = margin if len(shares) > 1 else WIDTH / 2
    return tuple(
        Dot(
            round(first + at * step, 2),
            round(HEIGHT - margin - min(1.0, max(0.0, share)) * (HEIGHT - 2 * margin), 2),
            tones[at],
            titles[at],
        )
        for at, share in enumerate(shares)
    )
