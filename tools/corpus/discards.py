"""How far the discard passes agree with Mesa's, on the fragment shaders of the corpus."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from nirls.ir.analysis.compare import difference
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from nirls.passes.discards.opt_discard_if import opt_discard_if
from nirls.passes.discards.opt_move_discards_to_top import opt_move_discards_to_top

# The release that printed a folder; only 22.3 stops at the first discard that it can move.
_STOPS_AT_THE_FIRST = {"classic": True, "modern": False}


@dataclass(slots=True)
class Agreement:
    """Counts for one pass: shaders that Mesa changed and that it left alone, and the same result here."""

    changed: int = 0
    changed_same: int = 0
    unchanged: int = 0
    unchanged_same: int = 0
    differences: tuple[str, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Whether every shader comes out as in Mesa."""
        return (self.changed_same, self.unchanged_same) == (self.changed, self.unchanged)


def agreement(corpus: Path) -> dict[str, Agreement]:
    """Counts for each pass over `pipelines/NAME/{modern,classic}/frag.*.nir` of a corpus folder.

    An absent `frag.conddiscard.nir` or `frag.movediscard.nir` means that Mesa's pass changed nothing.
    """
    conditional, moved = Agreement(), Agreement()
    for path in sorted(corpus.glob("pipelines/*/*/frag.io.nir")):
        lowered = parse_dump(path.read_bytes())
        after_if = _printed(path.with_name("frag.conddiscard.nir"))
        after_move = _printed(path.with_name("frag.movediscard.nir"))
        first = _STOPS_AT_THE_FIRST.get(path.parent.name, False)
        _compare(path, lowered, after_if, opt_discard_if, conditional)
        _compare(
            path,
            lowered if after_if is None else after_if,
            after_move,
            partial(opt_move_discards_to_top, only_first=first),
            moved,
        )
    return {"opt_discard_if": conditional, "opt_move_discards_to_top": moved}


def _printed(path: Path) -> Shader | None:
    return parse_dump(path.read_bytes()) if path.is_file() else None


def _compare(
    path: Path, before: Shader, after: Shader | None, run: Callable[[Shader], bool], count: Agreement
) -> None:
    result = clone_shader(before)
    progress = run(result)
    found = difference(result, before if after is None else after)
    is_same = found is None and progress == (after is not None)
    if after is None:
        count.unchanged += 1
        count.unchanged_same += is_same
    else:
        count.changed += 1
        count.changed_same += is_same
    if not is_same:
        count.differences += (f"{path.parent.parent.name}/{path.parent.name}: {found or 'progress differs'}",)


def main() -> None:
    """Print the counts for the corpus beside the project."""
    corpus = Path(__file__).resolve().parents[2] / "shared" / "corpus"
    for name, count in agreement(corpus).items():
        print(
            f"{name:26} changed {count.changed_same}/{count.changed}  "
            f"unchanged {count.unchanged_same}/{count.unchanged}"
        )
        for text in count.differences:
            print(f"    {text}")


if __name__ == "__main__":
    main()
