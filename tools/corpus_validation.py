"""Translation validation over the corpus: results of Mesa's passes and of ours, judged by running them.

Counts verdicts by where the results are from. Results that are known to be wrong in Mesa 25.0 are counted
apart; everything else must be equivalent, or unchecked for a reason with a name.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from rich.console import Console
from rich.table import Table

from nirls.ir.model.clone import clone_shader
from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_shaders
from nirls.passes import registry
from nirls.passes.declaration import Pass
from nirls.passes.translation_validation import (
    Different,
    Equivalent,
    Unchecked,
    ValidationOptions,
    Verdict,
    new_errors,
    validate_pass,
)
from tools.corpus_cleanup import steps

PROJECT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("NIRLS_SHARED", PROJECT.parent / "shared"))
STAGES = ("vert", "tesc", "tese", "geom", "frag")
FORMS = ("raw", "ssa", "io")

WRONG_IN_MESA = frozenset(
    (
        # A value made of the counter of a loop around emit_vertex is the same in all invocations, but not at
        # all vertices of a primitive; Mesa takes it for convergent and makes the input flat.
        "hand_geom_billboard geom-frag",
        "hand_geom_billboard_vk geom-frag",
        # Mesa's own validator refuses this result.
        "hand_tess_tri_dist tesc-tese",
    )
)


@dataclass(frozen=True, slots=True)
class Checked:
    """The verdict on one pass result; `source` is whose result it is, `name` where it is from."""

    source: str
    name: str
    verdict: Verdict

    @property
    def outcome(self) -> str:
        """`equivalent`, `unchecked`, `different`, or `known` for what is wrong in Mesa."""
        if isinstance(self.verdict, Different):
            return "known" if self.name in WRONG_IN_MESA else "different"
        return "equivalent" if isinstance(self.verdict, Equivalent) else "unchecked"


Work = Callable[[], Iterator[Checked]]


def mesa_linked(folder: Path, options: ValidationOptions) -> Iterator[Checked]:
    """Each pair of stages before and after Mesa's opt_varyings and clean-up, as a pipeline."""
    present = [stage for stage in STAGES if (folder / f"{stage}.io.nir").is_file()]
    for first, second in pairwise(present):
        after = [folder / f"{first}-{second}.opt.{stage}.nir" for stage in (first, second)]
        if all(path.is_file() for path in after):
            before = [_read(folder / f"{stage}.io.nir") for stage in (first, second)]
            verdict = validate_pass(before, [_read(path) for path in after], options)
            yield Checked("Mesa: linked", f"{folder.parent.name} {first}-{second}", verdict)


def mesa_discards(folder: Path, options: ValidationOptions) -> Iterator[Checked]:
    """Fragment shaders before and after Mesa's discard passes."""
    for kind in ("conddiscard", "movediscard"):
        after = folder / f"frag.{kind}.nir"
        if after.is_file():
            verdict = validate_pass(_read(folder / "frag.io.nir"), _read(after), options)
            yield Checked("Mesa: discards", f"{folder.parent.name} {folder.name} {kind}", verdict)


def mesa_log(path: Path, options: ValidationOptions, *, every: int = 1) -> Iterator[Checked]:
    """The shader before and after each pass of a debug log that changed it."""
    changes = [step for step in steps(path.read_bytes()) if step.after is not None]
    for step in changes[::every]:
        assert step.after is not None
        verdict = validate_pass(step.before, step.after, options)
        yield Checked("Mesa: log", f"{path.name}:{step.line} {step.pass_name}", verdict)


def our_shader_passes(folder: Path, forms: Sequence[str], options: ValidationOptions) -> Iterator[Checked]:
    """Every pass on single shaders that changes a shader of the folder, in some of its forms."""
    for form in forms:
        for path in sorted(folder.glob(f"*.{form}.nir")):
            shader = _read(path)
            for declared in _passes("shader"):
                if declared.applies_to(shader.stage):
                    yield from _ours(
                        declared, [shader], f"{folder.parent.name} {folder.name} {path.name}", options
                    )


def our_pipeline_passes(folder: Path, options: ValidationOptions) -> Iterator[Checked]:
    """Every pass on linked shaders, on the whole pipeline of the folder."""
    shaders = [_read(path) for path in (folder / f"{stage}.io.nir" for stage in STAGES) if path.is_file()]
    if len(shaders) > 1:
        for declared in _passes("pipeline"):
            yield from _ours(declared, shaders, f"{folder.parent.name} {folder.name}", options)


def _ours(
    declared: type[Pass], before: Sequence[Shader], name: str, options: ValidationOptions
) -> Iterator[Checked]:
    after = [clone_shader(shader) for shader in before]
    if not declared().run(after):
        return
    errors = new_errors(before, after)
    verdict = (
        validate_pass(before, after, options) if not errors else Unchecked(f"invalid: {errors[0].message}")
    )
    yield Checked(f"nirls: {declared.name}", name, verdict)


def _passes(scope: str) -> list[type[Pass]]:
    return [declared for declared in registry.all_passes() if declared.scope == scope]


def _read(path: Path) -> Shader:
    return parse_shaders(path.read_bytes())[0]


def check_folder(folder: Path, forms: Sequence[str], options: ValidationOptions) -> list[Checked]:
    """Everything about one printed pipeline."""
    return [
        *mesa_linked(folder, options),
        *mesa_discards(folder, options),
        *our_shader_passes(folder, forms, options),
        *our_pipeline_passes(folder, options),
    ]


def check_corpus(corpus: Path, options: ValidationOptions, *, every: int = 1) -> Iterator[list[Checked]]:
    """Everything about the corpus, or about every so many of its pipelines and log steps, as it comes."""
    folders = sorted((corpus / "pipelines").glob("*/*"))[::every]
    with ProcessPoolExecutor() as pool:
        work = [pool.submit(check_folder, folder, FORMS, options) for folder in folders]
        work += [pool.submit(_log, path, options, every) for path in sorted((corpus / "logs").glob("*.log"))]
        for one in work:
            yield one.result()


def _log(path: Path, options: ValidationOptions, every: int) -> list[Checked]:
    return list(mesa_log(path, options, every=every))


def table(checked: Sequence[Checked]) -> Table:
    """The counts for each source."""
    counts = Counter((one.source, one.outcome) for one in checked)
    result = Table(title="pass results, judged by running them")
    for title in ("results of", "equivalent", "unchecked", "known to be wrong", "different"):
        result.add_column(title, justify="left" if title == "results of" else "right")
    for source in sorted({one.source for one in checked}):
        row = [counts[source, outcome] for outcome in ("equivalent", "unchecked", "known", "different")]
        result.add_row(source, *(str(number) for number in row))
    return result


def main() -> int:
    """Print the counts and everything that is not equivalent; returns 1 if anything is different."""
    arguments = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    arguments.add_argument("--every", type=int, default=1, help="take only every so many pipelines and steps")
    arguments.add_argument("corpus", nargs="?", type=Path, default=SHARED / "corpus")
    given = arguments.parse_args()
    console = Console()
    if not given.corpus.is_dir():
        console.print(f"There is no corpus at {given.corpus}: nothing to judge.")
        return 0
    started = time.perf_counter()
    checked: list[Checked] = []
    for found in check_corpus(given.corpus, ValidationOptions(), every=given.every):
        checked += found
        for one in found:
            if one.outcome in ("unchecked", "different"):
                line = f"{one.source}: {one.name}: {str(one.verdict).splitlines()[0]}"
                console.print(line, highlight=False, markup=False)
    console.print(table(checked))
    console.print(f"{len(checked)} results in {time.perf_counter() - started:.0f} s", highlight=False)
    return int(any(one.outcome == "different" for one in checked))


if __name__ == "__main__":
    sys.exit(main())
