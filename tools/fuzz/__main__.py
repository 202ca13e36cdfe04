"""`make fuzz`, its part on robustness: mutated texts, sessions of an editor, and memory over long ones.

Every failure is written to build/fuzz with a small input; `--replay FILE` does it again. Exit status 1
if there was one.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from tools.fuzz.failures import Failure
from tools.fuzz.notes import Wrong
from tools.fuzz.samples import PROJECT
from tools.fuzz.texts import Tally, fuzz_texts
from tools.fuzz.trial import try_text
from tools.fuzz.watchdog import Watchdog

KINDS = ("texts", "sessions", "memory")


def main() -> int:
    arguments = _arguments()
    if arguments.replay is not None:
        return _replay(Failure.read(arguments.replay))
    failed = False
    if "texts" in arguments.only:
        tally = fuzz_texts(arguments.first, arguments.texts, arguments.seconds, told=_told(arguments.out))
        failed |= _print("texts", tally)
    if "sessions" in arguments.only:
        from tools.fuzz.sessions import fuzz_sessions

        tally = fuzz_sessions(
            arguments.first, arguments.sessions, arguments.seconds, told=_told(arguments.out)
        )
        failed |= _print("sessions", tally)
    if "memory" in arguments.only:
        from tools.fuzz.memory import growths

        for growth in growths(arguments.edits):
            print(growth, flush=True)
            failed |= not growth.is_flat
    return int(failed)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.fuzz", description=__doc__)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--texts", type=int, default=5000, help="how many texts")
    parser.add_argument("--sessions", type=int, default=100, help="how many sessions")
    parser.add_argument("--edits", type=int, default=10_000, help="edits over which memory is measured")
    parser.add_argument("--seconds", type=float, help="at most so long for texts, and for sessions")
    parser.add_argument("--only", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument(
        "--out", type=Path, default=PROJECT / "build" / "fuzz", help="where failures are written"
    )
    parser.add_argument("--replay", type=Path, metavar="FILE", help="do one failure again")
    return parser.parse_args()


def _told(folder: Path) -> Callable[[Failure], None]:
    def told(failure: Failure) -> None:
        print(f"{failure.wrong.step}: {failure.wrong.detail}\n    {failure.write(folder)}", flush=True)

    return told


def _print(what: str, tally: Tally) -> bool:
    print(f"{what}: {tally.tried} tried, {tally.crashes} crashes, {tally.hangs} hangs", flush=True)
    return bool(tally.failures)


def _replay(failure: Failure) -> int:
    if failure.kind == "session":
        from tools.fuzz.sessions import replay

        found = replay(failure.seed, failure.moves)
    else:
        found = _in_watchdog(failure)
    for wrong in found:
        print(f"{wrong.step}: {wrong.detail}\n{wrong.trace}")
    return int(bool(found))


def _in_watchdog(failure: Failure) -> tuple[Wrong, ...]:
    watchdog = Watchdog()
    try:
        return watchdog.run(try_text, failure.text, failure.seed)
    finally:
        watchdog.stop()


if __name__ == "__main__":
    sys.exit(main())
