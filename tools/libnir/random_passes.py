"""`python -m tools.libnir.random_passes FOLDER`: logs of random passes of libnir on shaders of the corpus.

Each log is of one shader, on which passes that nirls does not choose run in a random order with random
options (`random_passes.h`). All of them keep what the shader computes, so no transition may be `different`:

    python -m tools.libnir.random_passes logs --seed 7
    nirls verify logs
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from nirls.ir.mesa_test import NotBuildableError
from tools.corpus.archive import corpus_folder
from tools.libnir.build import build_folder
from tools.libnir.compiled import LibnirCompiler
from tools.libnir.pass_log import named_dumps, printed_by, program_source

_LARGEST: Final = 30_000
"""Bytes of a dump above which no shader is taken: the verification of each transition takes seconds."""


def random_source(dumps: Sequence[tuple[str, bytes]]) -> str:
    """Return the program that runs random passes on dumps. Raises NotBuildableError."""
    passes = Path(__file__).with_suffix(".h").read_text(encoding="utf-8")
    return program_source(dumps, passes)


def chosen_dumps(corpus: Path, count: int, seed: int) -> list[tuple[str, bytes]]:
    """Choose small dumps of the corpus' pipelines that libnir can build, with their names."""
    files = sorted(corpus.glob("pipelines/*/modern/*.raw.nir"))
    random.Random(seed).shuffle(files)
    chosen: list[tuple[str, bytes]] = []
    for name, text in named_dumps([file for file in files if file.stat().st_size <= _LARGEST]):
        try:
            random_source([(name, text)])
        except NotBuildableError:
            continue
        chosen.append((name, text))
        if len(chosen) == count:
            break
    return chosen


def random_logs(program: Path, count: int, runs: int, seed: int) -> Iterator[tuple[int, int, bytes]]:
    """Yield the number of a shader, the seed of a run, and its log, for some runs on each shader.

    A log ends where Mesa ends the program: at an assertion, or a shader that its validator refuses.
    """
    numbers = random.Random(seed)
    for shader in range(count):
        for _ in range(runs):
            run = numbers.randrange(1 << 16)
            try:
                log = printed_by(program, f"*.shader_{shader}", {"RANDOM_PASSES": str(run)})
            except subprocess.CalledProcessError as error:
                log = error.stdout
            yield shader, run, log


def main() -> int:
    """Write the logs, and return the exit status: 1 if the library is not there."""
    arguments = argparse.ArgumentParser(prog="python -m tools.libnir.random_passes", description=__doc__)
    arguments.add_argument("folder", type=Path, help="where the logs go, as NAME.RUN.log")
    arguments.add_argument(
        "--seed", type=int, default=0, help="another seed chooses other shaders and passes"
    )
    arguments.add_argument("--shaders", type=int, default=20)
    arguments.add_argument("--runs", type=int, default=2, help="of each shader")
    options = arguments.parse_args()
    build = build_folder()
    if build is None:
        print("libnir is not there: run make mesa", file=sys.stderr)
        return 1
    dumps = chosen_dumps(corpus_folder(), options.shaders, options.seed)
    options.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        program = LibnirCompiler(build, Path(work)).program("random_passes", random_source(dumps))
        for shader, run, log in random_logs(program, len(dumps), options.runs, options.seed):
            (options.folder / f"{dumps[shader][0]}.{run}.log").write_bytes(log)
    return 0


if __name__ == "__main__":
    sys.exit(main())
