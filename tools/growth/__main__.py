"""`python -m tools.growth`: how the time of every command and request grows. Exit status 1 if too fast."""

from __future__ import annotations

import argparse
import sys

from tools.growth.growth import TimeGrowth, growths
from tools.growth.measure import MEASURES
from tools.growth.shapes import SHAPES

SIZE = 1000
"""Lines of the smallest of the three inputs."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.growth", description=__doc__)
    parser.add_argument("--size", type=int, default=SIZE, help="lines of the smallest of the three inputs")
    parser.add_argument("--shape", nargs="+", choices=[shape.__name__ for shape in SHAPES], help="only these")
    parser.add_argument("--slowest", type=int, default=3, help="actions listed for each shape")
    arguments = parser.parse_args()
    return int(bool(check_growth(arguments.size, arguments.shape, arguments.slowest)))


def check_growth(size: int = SIZE, shapes: list[str] | None = None, slowest: int = 0) -> list[TimeGrowth]:
    """Measure and print; return what grows too fast."""
    failures: list[TimeGrowth] = []
    for shape in SHAPES:
        if shapes is not None and shape.__name__ not in shapes:
            continue
        time_growths = [growth for measure in MEASURES for growth in growths(shape, measure, size)]
        time_growths.sort(key=lambda time_growth: time_growth.seconds[-1], reverse=True)
        wrong = [time_growth for time_growth in time_growths if time_growth.is_too_fast]
        for time_growth in time_growths[:slowest]:
            print(time_growth, flush=True)
        for time_growth in wrong:
            print(f"too fast: {time_growth}", flush=True)
        failures += wrong
    print(f"growth: {len(failures)} too fast", flush=True)
    return failures


if __name__ == "__main__":
    sys.exit(main())
