"""`make fuzz`: random shaders through the passes, mutated texts, editor sessions, memory and growth.

With `--minutes`, the kinds share that time, and the seeds are new ones. In sessions, workers are killed, and
a turn of the event loop that the server's watchdog reports is a failure. Failures of texts and sessions are
written to build/fuzz with a small input; `--replay FILE` does one again. Exit status 1 after a failure.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from tools.corpus.archive import PROJECT
from tools.fuzz import passes
from tools.fuzz.decisions import fuzz_decisions
from tools.fuzz.failures import Failure
from tools.fuzz.tally import FuzzTally
from tools.fuzz.texts import fuzz_texts
from tools.fuzz.trial import try_text
from tools.fuzz.watchdog import TrialWatchdog

COUNTS = {
    "pipelines": 2000,
    "payloads": 500,
    "decisions": 500,
    "patches": 1000,
    "shaders": 300,
    "registers": 300,
    "texts": 5000,
    "sessions": 100,
    "memory": 10_000,
    "growth": 1000,
}
"""The kinds of fuzzing and their default counts; for memory the number of edits, for growth the lines of the
smallest input."""

_ENOUGH = 1 << 40
_EDITS_A_SECOND = 10
_LINES_A_SECOND = 5
"""Lines of the smallest input for which the growth is measured in a second."""


def main() -> int:
    arguments = _arguments()
    if arguments.minutes is not None:
        _share(arguments)
    if arguments.replay is not None:
        return _replay(Failure.read(arguments.replay))
    # A failure of one kind does not keep the others from being tried.
    failed = [RUNS[kind](arguments) for kind in arguments.only]
    return int(any(failed))


def _fuzz_passes(kind: passes.TrialKind, arguments: argparse.Namespace) -> bool:
    chosen = [name for name in kind.passes if name in (arguments.passes or kind.passes)]
    return passes.fuzz(kind, _seeds(arguments, kind.name), chosen, arguments.seconds)


def _fuzz_decisions(arguments: argparse.Namespace) -> bool:
    return fuzz_decisions(_seeds(arguments, "decisions"), arguments.seconds)


def _fuzz_texts(arguments: argparse.Namespace) -> bool:
    on_failure = _failure_writer(arguments.out)
    tally = fuzz_texts(_seeds(arguments, "texts"), arguments.seconds, on_failure=on_failure)
    return _print("texts", tally)


def _fuzz_sessions(arguments: argparse.Namespace) -> bool:
    from tools.fuzz.sessions import fuzz_sessions

    on_failure = _failure_writer(arguments.out)
    tally = fuzz_sessions(_seeds(arguments, "sessions"), arguments.seconds, on_failure=on_failure)
    return _print("sessions", tally)


def _measure_memory(arguments: argparse.Namespace) -> bool:
    from tools.fuzz.memory import growths

    failed = False
    for growth in growths(_count(arguments, "memory")):
        print(growth, flush=True)
        failed |= not growth.is_flat or bool(growth.wrong)
    return failed


def _measure_growth(arguments: argparse.Namespace) -> bool:
    from tools.growth.__main__ import check_growth

    return bool(check_growth(_count(arguments, "growth")))


RUNS: dict[str, Callable[[argparse.Namespace], bool]] = {
    **{kind.name: partial(_fuzz_passes, kind) for kind in passes.KINDS},
    "decisions": _fuzz_decisions,
    "texts": _fuzz_texts,
    "sessions": _fuzz_sessions,
    "memory": _measure_memory,
    "growth": _measure_growth,
}
"""Runs of each kind, which return whether something failed."""


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tools.fuzz", description=__doc__)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--count", type=int, help="how many of each kind")
    parser.add_argument("--seconds", type=float, help="time limit for each kind but memory and growth")
    parser.add_argument("--minutes", type=float, help="time for all kinds together")
    parser.set_defaults(counts=COUNTS)
    parser.add_argument("--only", nargs="+", choices=tuple(COUNTS), default=tuple(COUNTS))
    parser.add_argument("--passes", nargs="+", help="run only these passes on random shaders")
    parser.add_argument(
        "--out", type=Path, default=PROJECT / "build" / "fuzz", help="where failures are written"
    )
    parser.add_argument("--replay", type=Path, metavar="FILE", help="do one failure again")
    return parser.parse_args()


def _share(arguments: argparse.Namespace) -> None:
    """Divide `--minutes` between the kinds, and take seeds that have not been tried before."""
    arguments.seconds = arguments.minutes * 60 / len(arguments.only)
    arguments.first = int(time.time()) * 1000
    arguments.counts = {
        **dict.fromkeys(COUNTS, _ENOUGH),
        "memory": int(_EDITS_A_SECOND * arguments.seconds),
        "growth": min(COUNTS["growth"], int(_LINES_A_SECOND * arguments.seconds)),
    }
    print(
        f"{arguments.seconds:.0f} s for each of {', '.join(arguments.only)}; first seed {arguments.first}",
        flush=True,
    )


def _count(arguments: argparse.Namespace, kind: str) -> int:
    count: int = arguments.counts[kind] if arguments.count is None else arguments.count
    return count


def _seeds(arguments: argparse.Namespace, kind: str) -> range:
    return range(arguments.first, arguments.first + _count(arguments, kind))


def _failure_writer(folder: Path) -> Callable[[Failure], None]:
    def on_failure(failure: Failure) -> None:
        print(f"{failure.wrong.step}: {failure.wrong.detail}\n    {failure.write(folder)}", flush=True)

    return on_failure


def _print(what: str, tally: FuzzTally) -> bool:
    print(f"{what}: {tally.tried} tried, {tally.crashes} crashes, {tally.hangs} hangs", flush=True)
    return bool(tally.failures)


def _replay(failure: Failure) -> int:
    if failure.kind == "session":
        from tools.fuzz.sessions import replay

        wrongs = replay(failure.seed, failure.moves)
    else:
        with TrialWatchdog() as watchdog:
            wrongs = watchdog.run(try_text, failure.text, failure.seed)
    for wrong in wrongs:
        print(f"{wrong.step}: {wrong.detail}\n{wrong.trace}")
    return int(bool(wrongs))


if __name__ == "__main__":
    sys.exit(main())
