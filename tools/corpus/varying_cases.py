"""Mesa's unit tests of nir_opt_varyings as text: read one, and compare a result of ours with Mesa's."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from nirls.ir.model.instructions import IntrinsicInstr, LoadConstInstr, UndefInstr
from nirls.ir.model.shader import Shader
from nirls.ir.model.slots import VARYING_SLOTS
from nirls.ir.model.stage import Stage
from nirls.ir.model.values import Def
from nirls.ir.text.parse import parse_dump

_SECTION = re.compile(rb"^=== ([^\n]*)\n", re.MULTILINE)
_PROGRESS = re.compile(r"PROGRESS producer=([01]) consumer=([01])")
_COMPACTED = re.compile(r"(?:VAR|PATCH)\d+(?:_16BIT)?|(?:COL|BFC)[01]")

AccessKey = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class VaryingCase:
    """One run of the pass by Mesa: the pair before and after, `optimized` after clean-up too.

    `progress` says for which of the two the pass reported a change.
    """

    before: tuple[Shader, Shader]
    after: tuple[Shader, Shader]
    optimized: tuple[Shader, Shader]
    progress: tuple[bool, bool]


def read_case(text: bytes) -> VaryingCase:
    """The last run of a file: the pair that goes in last, and what comes out."""
    parts = _SECTION.split(text)
    sections: dict[str, bytes] = {}
    progress = (False, False)
    for title, body in zip(parts[1::2], parts[2::2], strict=True):
        word = title.decode()
        match = _PROGRESS.fullmatch(word)
        if match:
            progress = (match[1] == "1", match[2] == "1")
        else:
            sections[re.sub(r" \d+$", "", word)] = body
    return VaryingCase(
        (parse_dump(sections["BEFORE PRODUCER"]), parse_dump(sections["BEFORE CONSUMER"])),
        (parse_dump(sections["AFTER PRODUCER"]), parse_dump(sections["AFTER CONSUMER"])),
        (parse_dump(sections["OPTIMIZED PRODUCER"]), parse_dump(sections["OPTIMIZED CONSUMER"])),
        progress,
    )


def differences(case: VaryingCase, ours: Sequence[Shader]) -> list[str]:
    """Return how the varyings of a result differ from Mesa's after removal of dead ones, as messages.

    Compared are all accesses of outputs of the producer and inputs of the consumer, with component,
    flags, transform feedback and stored value, and all other stores with the values they get. Slots
    count too, unless Mesa's compaction chose them.
    """
    messages = []
    for side, mine, theirs in zip(("producer", "consumer"), ours, case.after, strict=True):
        my_accesses, their_accesses = _accesses(mine, side), _accesses(theirs, side)
        relocated = {key[:1] + key[2:] for key in their_accesses if _COMPACTED.fullmatch(str(key[1]))}
        mine_counted = Counter(_without_slot(key, relocated) for key in my_accesses)
        theirs_counted = Counter(_without_slot(key, relocated) for key in their_accesses)
        messages += [f"{side}: Mesa has no {key}" for key in mine_counted - theirs_counted]
        messages += [f"{side}: we have no {key}" for key in theirs_counted - mine_counted]
    return messages


def lost_accesses(case: VaryingCase, ours: Sequence[Shader]) -> list[str]:
    """Return where a result has fewer varying accesses than Mesa's complete pass."""
    return [
        f"{side}: {count_accesses(theirs, side)} accesses left by Mesa, {count_accesses(mine, side)} by us"
        for side, mine, theirs in zip(("producer", "consumer"), ours, case.optimized, strict=True)
        if count_accesses(mine, side) < count_accesses(theirs, side)
    ]


def count_accesses(shader: Shader, side: str) -> int:
    """Return the number of varying accesses: of a producer's outputs, or a consumer's inputs."""
    return sum(_is_varying_access(instr, shader, side) for instr in intrinsics_of(shader))


def _without_slot(key: AccessKey, relocated: Iterable[AccessKey]) -> AccessKey:
    rest = key[:1] + key[2:]
    return rest if rest in relocated else key


def _accesses(shader: Shader, side: str) -> list[AccessKey]:
    keys: list[AccessKey] = []
    for instr in intrinsics_of(shader):
        semantics = instr.io_semantics
        if semantics is not None and _is_varying_access(instr, shader, side):
            location = semantics.location
            slot = VARYING_SLOTS[location] if 0 <= location < len(VARYING_SLOTS) else str(location)
            flags = tuple(sorted(semantics.flags))
            captured = (instr.indices.get("io_xfb"), instr.indices.get("io_xfb2"))
            stored = None if instr.def_ is not None else _value(instr.sources[0].def_)
            component = instr.int_index("component")
            keys.append((instr.name, slot, component, semantics.num_slots, flags, captured, stored))
        elif instr.name.startswith("store_"):
            keys.append((instr.name, "", *(_value(src.def_) for src in instr.sources)))
    return keys


def _is_varying_access(instr: IntrinsicInstr, shader: Shader, side: str) -> bool:
    if instr.io_semantics is None:
        return False
    if side == "consumer":
        return "input" in instr.name
    return "output" in instr.name and shader.stage is not Stage.FRAGMENT


def intrinsics_of(shader: Shader) -> list[IntrinsicInstr]:
    """Return the intrinsics of a shader in printed order."""
    return [instr for instr in shader.instrs() if isinstance(instr, IntrinsicInstr)]


def _value(value: Def | None) -> object:
    """Return a value's expression without numbers, deep enough to recognize constants and undefs."""
    maker = None if value is None else value.instr
    if isinstance(maker, LoadConstInstr):
        return maker.values
    if isinstance(maker, UndefInstr):
        return "undefined"
    if isinstance(maker, IntrinsicInstr):
        semantics = maker.io_semantics
        return (maker.name, maker.int_index("component"), semantics.num_slots if semantics else None)
    return getattr(maker, "op", type(maker).__name__)
