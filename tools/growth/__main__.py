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
        found = [one for measure in MEASURES for one in growths(shape, measure, size)]
        found.sort(key=lambda one: one.seconds[-1], reverse=True)
        wrong = [one for one in found if one.is_too_fast]
        for one in found[:slowest]:
            print(one, flush=True)
        for one in wrong:
            print(f"too fast: {one}", flush=True)
        failures += wrong
    print(f"growth: {len(failures)} too fast", flush=True)
    return failures


if __name__ == "__main__":
    sys.exit(main())
