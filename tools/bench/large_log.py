"""A log of 50 MB, made from the logs of real drivers in the corpus, and what each command takes on it.

`python -m tools.bench.large_log FILE` writes the log; `--time COMMAND ...` runs commands on it, by default
all. With `--repeat LOG` the log is one log of the corpus again and again, of other sources each time:
`every_pass_large.log` has the passes of two shaders of 500 instructions.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
from rich.console import Console
from rich.table import Table

from tools.corpus.archive import corpus_folder
from tools.corpus.drivers import read_logs

MEGABYTES = 50
FOLDERS = ("logs", "drivers", "drivers2")
COMMANDS = {
    "timeline": ["timeline"],
    "stats": ["stats"],
    "link": ["link"],
    "print": ["print"],
    "check": ["check", "--no-cache"],
    "opt": ["opt", "-p", "clean_up"],
    "report": ["report", "--output", os.devnull],
    "verify": ["verify", "--no-cache"],
}
_SOURCE = re.compile(rb"^(source_\w+: \{)0x[0-9a-f]{8}", re.MULTILINE)
_SAMPLED = 0.2
"""Seconds between two looks at the memory of the processes."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What a command took: seconds, those to the first output, CPU seconds, most megabytes of a process."""

    seconds: float
    first: float
    cpu: float
    megabytes: float
    status: int


def large_log(corpus: Path, size: int) -> Iterator[bytes]:
    """The logs of the corpus one after another, up to `size` bytes; the last one ends at a dump."""
    for name in FOLDERS:
        for _, data in read_logs(corpus / name):
            if len(data) > size:
                yield data[: data.rfind(b"\nshader: ", 0, size) + 1]
                return
            size -= len(data) + 1
            yield data + b"\n"


def repeated_log(corpus: Path, name: str, size: int) -> Iterator[bytes]:
    """A log of the corpus again and again, about `size` bytes, with other source hashes each time.

    Raises ValueError if the corpus has no such log.
    """
    logs = (log for folder in FOLDERS for log in read_logs(corpus / folder))
    data = next((data for found, data in logs if found == name), None)
    if data is None:
        raise ValueError(f"the corpus has no {name}")
    for number in range(round(size / len(data))):
        source = b"\\g<1>0x%08x" % number
        yield _SOURCE.sub(source, data) + b"\n"


def measured(arguments: Sequence[str]) -> Measured:
    """Run `nirls` with arguments; its output is read and dropped."""
    began = time.perf_counter()
    command = [sys.executable, "-m", "nirls.server", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        watch = _Watch(process.pid)
        assert process.stdout is not None
        first = time.perf_counter() - began if process.stdout.read(1) else 0.0
        while process.stdout.read(1 << 20):
            pass
        status = process.wait()
        watch.end()
    return Measured(time.perf_counter() - began, first, watch.cpu, watch.megabytes, status)


class _Watch:
    """CPU time of a process and its children, and the peak memory of the largest."""

    def __init__(self, pid: int) -> None:
        self.megabytes = 0.0
        self._times: dict[int, float] = {}
        self._process = psutil.Process(pid)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._sample)
        self._thread.start()

    @property
    def cpu(self) -> float:
        return sum(self._times.values())

    def end(self) -> None:
        self._ended.set()
        self._thread.join()

    def _sample(self) -> None:
        while not self._ended.wait(_SAMPLED):
            with suppress(psutil.Error):
                for one in (self._process, *self._process.children(recursive=True)):
                    with suppress(psutil.Error):
                        times = one.cpu_times()
                        self._times[one.pid] = times.user + times.system
                        self.megabytes = max(self.megabytes, one.memory_info().rss / 1e6)


def main() -> int:
    """Write the log, or run commands on it."""
    arguments = argparse.ArgumentParser(prog="python -m tools.bench.large_log", description=__doc__)
    arguments.add_argument("file", type=Path, help="where the log is, or is written")
    arguments.add_argument("--megabytes", type=int, default=MEGABYTES)
    arguments.add_argument("--repeat", metavar="LOG", help="a log of the corpus to repeat")
    arguments.add_argument("--time", nargs="*", choices=COMMANDS, help="commands to time")
    options = arguments.parse_args()
    if not options.file.exists():
        corpus, size = corpus_folder(), options.megabytes * 1_000_000
        made = repeated_log(corpus, options.repeat, size) if options.repeat else large_log(corpus, size)
        options.file.write_bytes(b"".join(made))
    if options.time is None:
        return 0
    table = Table(
        "command", "seconds", "first output", "CPU", "MB a process", "status", title=str(options.file)
    )
    for name in options.time or COMMANDS:
        found = measured([*COMMANDS[name], str(options.file)])
        figures = (found.seconds, found.first, found.cpu, found.megabytes)
        table.add_row(name, *(f"{figure:.1f}" for figure in figures), str(found.status))
    Console().print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
