"""Texts of two snapshots of a shader that differ only where the code changed, for a text diff.

The second snapshot is renumbered like the first: unchanged values and blocks have equal numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from nirls.ir.analysis.alignment import aligned
from nirls.ir.analysis.correspondence import Correspondence, correspondence
from nirls.ir.model.control_flow import Block, FunctionImpl
from nirls.ir.model.instructions import JumpInstr
from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from nirls.ir.text.printing import ConversionError, FunctionStyle, Printable, converted
from nirls.ir.text.printing.style import digits

_CONTEXT = 3


Numbers = Mapping[str, Mapping[int, int]]
"""The number of each value in its dump by the one in a text, by function; equal numbers are left out."""


@dataclass(frozen=True, slots=True)
class SnapshotTexts:
    """The texts of two snapshots, in one style.

    `before_lines` and `after_lines` give for each line of a text its line in the dump, from 0; None for a
    line without counterpart. `numbers` are those of `after`.
    """

    before: str
    after: str
    before_lines: Sequence[int | None] = ()
    after_lines: Sequence[int | None] = ()
    numbers: Numbers = field(default_factory=dict)

    @property
    def same(self) -> bool:
        return self.before == self.after

    def hunks(self) -> list[Hunk]:
        """Return the runs of equal and different lines, in order, which cover both texts."""
        before, after = _lines(self.before), _lines(self.after)
        found: list[Hunk] = []
        start = other_start = 0
        for position, other in (*aligned(before, after), (len(before), len(after))):
            if position > start or other > other_start:
                found.append(Hunk(False, start, position, other_start, other))
            start, other_start = position + 1, other + 1
            if position == len(before):
                break
            if found and found[-1].is_equal:
                found[-1] = found[-1]._replace(before_end=start, after_end=other_start)
            else:
                found.append(Hunk(True, position, start, other, other_start))
        return found

    def first_code_change(self) -> Hunk | None:
        """Return the first hunk that changes code; None if only the header and declarations changed."""
        code, other_code = _start_of_code(self.before), _start_of_code(self.after)
        for hunk in self.hunks():
            if not hunk.is_equal and (hunk.before_end > code or hunk.after_end > other_code):
                return hunk
        return None

    def unified(self, before_name: str = "before", after_name: str = "after") -> str:
        """Return a unified diff, "" for equal texts. Changes of code precede those of the header."""
        before, after = _lines(self.before), _lines(self.after)
        code = _start_of_code(self.before)
        groups = _grouped(self.hunks())
        groups.sort(key=lambda group: all(hunk.before_end <= code for hunk in group if not hunk.is_equal))
        lines = [f"--- {before_name}", f"+++ {after_name}"] if groups else []
        for group in groups:
            first, last = group[0], group[-1]
            place = _span(first.before, last.before_end), _span(first.after, last.after_end)
            lines.append(f"@@ -{place[0]} +{place[1]} @@")
            for hunk in group:
                old, new = before[hunk.before : hunk.before_end], after[hunk.after : hunk.after_end]
                if hunk.is_equal:
                    lines += [f" {line}" for line in old]
                else:
                    lines += [f"-{line}" for line in old] + [f"+{line}" for line in new]
        return "".join(f"{line}\n" for line in lines)


class Hunk(NamedTuple):
    """A run of lines: [before, before_end) of the first text and [after, after_end) of the second, from 0."""

    is_equal: bool
    before: int
    before_end: int
    after: int
    after_end: int


def _grouped(hunks: Sequence[Hunk]) -> list[list[Hunk]]:
    """Group the changes that are near each other, with `_CONTEXT` equal lines around them."""
    groups: list[list[Hunk]] = []
    group: list[Hunk] = []
    for number, hunk in enumerate(hunks):
        if not hunk.is_equal:
            group.append(hunk)
            continue
        is_last = number + 1 == len(hunks)
        size = hunk.before_end - hunk.before
        if group and not is_last and size <= 2 * _CONTEXT:
            group.append(hunk)
            continue
        if group:
            end = min(size, _CONTEXT)
            group.append(hunk._replace(before_end=hunk.before + end, after_end=hunk.after + end))
            groups.append(group)
        skipped = max(size - _CONTEXT, 0)
        group = [] if is_last else [hunk._replace(before=hunk.before + skipped, after=hunk.after + skipped)]
    return groups + ([group] if any(not hunk.is_equal for hunk in group) else [])


def _span(start: int, end: int) -> str:
    """The place of lines in a unified diff."""
    size = end - start
    return f"{start + 1 if size else start},{size}"


def _start_of_code(text: str) -> int:
    """First line of the first function body."""
    return next((number for number, line in enumerate(_lines(text)) if line.startswith("impl ")), 0)


def snapshot_texts(before: Shader, after: Shader) -> SnapshotTexts:
    """Print two snapshots so that equal code is equal text, independent of numbers and columns.

    `con` and `div` are shown if both have them. The shaders are not changed. `after` is converted to the
    dialect of `before` if possible.
    """
    first, second = Printable.of(before), Printable.of(after)
    if second.shader.dialect is not first.shader.dialect:
        with suppress(ConversionError):
            second = converted(second, first.shader.dialect)
    impls = {impl.function.name: impl for impl in first.shader.impls()}
    for impl in (*first.shader.impls(), *second.shader.impls()):
        for block in (*impl.blocks(), impl.end_block):
            block.stated_preds = block.stated_succs = None
    own_numbers = {
        impl.function.name: {value: value.index for value in impl.defs()} for impl in second.shader.impls()
    }
    for impl in second.shader.impls():
        if impl.function.name in impls:
            _number_like(impls[impl.function.name], impl)
    functions = _common_functions(first, second)
    # The printed form of a constant must not depend on its other uses, which may have changed.
    style = replace(first.style, functions=functions, newline="\n", infer_types=False)
    if second.shader.dialect is not first.shader.dialect:
        other = replace(second.style, functions=functions, newline="\n", infer_types=False)
    else:
        other = replace(style, raw_values={**second.style.raw_values, **first.style.raw_values})
    sides = (replace(first, style=style), replace(second, style=other))
    texts = [side.text().decode("utf-8", "replace") for side in sides]
    numbers = {
        name: {value.index: own for value, own in numbered.items() if value.index != own}
        for name, numbered in own_numbers.items()
    }
    lines = [side.source_lines() for side in sides]
    return SnapshotTexts(texts[0], texts[1], lines[0], lines[1], numbers)


def texts_of_dumps(before: bytes, after: bytes) -> SnapshotTexts:
    """Return the snapshot texts of two dumps."""
    return snapshot_texts(parse_dump(before), parse_dump(after))


class DiffRun(NamedTuple):
    """A run of diff lines: `equal`, `replace`, `delete` or `insert`, with its start on both sides, from 0.

    A `gap` represents omitted lines.
    """

    kind: str
    left: Sequence[str] = ()
    right: Sequence[str] = ()
    left_start: int = 0
    right_start: int = 0


def side_by_side(texts: SnapshotTexts) -> Iterator[DiffRun]:
    """Yield the diff in runs of lines. Equal runs are cut to the context of changes."""
    before, after = _lines(texts.before), _lines(texts.after)
    for number, group in enumerate(_grouped(texts.hunks())):
        if number or group[0].before:
            yield DiffRun("gap")
        for hunk in group:
            left, right = before[hunk.before : hunk.before_end], after[hunk.after : hunk.after_end]
            kind = "replace" if left and right else "delete" if left else "insert"
            yield DiffRun("equal" if hunk.is_equal else kind, left, right, hunk.before, hunk.after)


def _lines(text: str) -> list[str]:
    """Split at line feeds only: names may contain other line separators of `str.splitlines`."""
    return text.removesuffix("\n").split("\n")


def _number_like(first: FunctionImpl, second: FunctionImpl) -> None:
    """Number the second body like the first; new values, blocks and registers get unused numbers."""
    found = correspondence(first, second)
    _number_values(first, second, found)
    targets = _jump_targets(second)
    fresh = 1 + max((block.index for block in (*first.blocks(), first.end_block)), default=-1)
    for block in (*second.blocks(), second.end_block):
        twin = found.blocks.get(block)
        block.index = fresh if twin is None else twin.index
        fresh += twin is None
    for jump, blocks in targets:
        jump.targets = tuple(
            old if block is None else block.index for old, block in zip(jump.targets, blocks, strict=True)
        )
    fresh = 1 + max((register.index for register in first.registers), default=-1)
    for register in second.registers:
        match = found.registers.get(register)
        register.index = fresh if match is None else match.index
        fresh += match is None
    second.link_blocks()


def _number_values(first: FunctionImpl, second: FunctionImpl, found: Correspondence) -> None:
    undefined = (*first.undefined_references, *second.undefined_references)
    used = [value.index for value in (*first.defs(), *undefined)]
    fresh = 1 + max(used, default=-1)
    for value in second.defs():
        twin = found.values.get(value)
        value.index = fresh if twin is None else twin.index
        fresh += twin is None


def _jump_targets(impl: FunctionImpl) -> list[tuple[JumpInstr, list[Block | None]]]:
    """Return the unstructured jumps with their target blocks."""
    blocks = {block.index: block for block in reversed([*impl.blocks(), impl.end_block])}
    return [
        (instr, [blocks.get(target) for target in instr.targets])
        for instr in impl.instrs()
        if isinstance(instr, JumpInstr) and instr.targets
    ]


def _common_functions(first: Printable, second: Printable) -> dict[str, FunctionStyle]:
    """Return for each function a style with columns for both, and divergence if both print it."""
    found: dict[str, FunctionStyle] = {}
    for side, other in ((first, second), (second, first)):
        for impl in side.shader.impls():
            name = impl.function.name
            width = digits(max((value.index for value in impl.defs()), default=0))
            known = found.get(name)
            both = side.style.function(name).divergence and other.style.function(name).divergence
            found[name] = FunctionStyle(max(width, known.number_width if known else 1), both)
    return found
