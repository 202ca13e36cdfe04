"""Texts of two snapshots of a shader that differ only where the code changed, for a text diff.

The second snapshot is renumbered like the first: unchanged values and blocks have equal numbers.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import NamedTuple

from nirls.ir.analysis.correspondence import Correspondence, correspondence
from nirls.ir.model.control_flow import Block, FunctionImpl
from nirls.ir.model.instructions import JumpInstr
from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from nirls.ir.text.printing import ConversionError, FunctionStyle, Printable, converted
from nirls.ir.text.printing.style import digits

_CONTEXT = 3


@dataclass(frozen=True, slots=True)
class SnapshotTexts:
    """The texts of two snapshots, in one style."""

    before: str
    after: str

    @property
    def same(self) -> bool:
        return self.before == self.after

    def unified(self, before_name: str = "before", after_name: str = "after") -> str:
        """Return a unified diff, "" for equal texts."""
        sides = _lines(self.before), _lines(self.after)
        found = difflib.unified_diff(*sides, before_name, after_name, n=_CONTEXT, lineterm="")
        return "".join(f"{line}\n" for line in found)


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
        _forget_stated_edges(impl)
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
    texts = (replace(first, style=style).text(), replace(second, style=other).text())
    return SnapshotTexts(*(text.decode("utf-8", "replace") for text in texts))


def texts_of_dumps(before: bytes, after: bytes) -> SnapshotTexts:
    """Return the snapshot texts of two dumps."""
    return snapshot_texts(parse_dump(before), parse_dump(after))


class Stretch(NamedTuple):
    """A run of diff lines: `equal`, `replace`, `delete` or `insert`, with its start on both sides, from 0.

    A `gap` represents omitted lines.
    """

    kind: str
    left: Sequence[str] = ()
    right: Sequence[str] = ()
    left_start: int = 0
    right_start: int = 0


def side_by_side(texts: SnapshotTexts) -> Iterator[Stretch]:
    """Yield the diff in runs of lines. Equal runs are cut to the context of changes."""
    before, after = _lines(texts.before), _lines(texts.after)
    groups = difflib.SequenceMatcher(None, before, after, autojunk=False).get_grouped_opcodes(_CONTEXT)
    for number, group in enumerate(groups):
        if number or group[0][1]:
            yield Stretch("gap")
        for tag, start, end, other_start, other_end in group:
            yield Stretch(tag, before[start:end], after[other_start:other_end], start, other_start)


def _lines(text: str) -> list[str]:
    """Split at line feeds only: names may contain other line separators of `str.splitlines`."""
    return text.removesuffix("\n").split("\n")


def _forget_stated_edges(impl: FunctionImpl) -> None:
    for block in (*impl.blocks(), impl.end_block):
        block.stated_preds = block.stated_succs = None


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
