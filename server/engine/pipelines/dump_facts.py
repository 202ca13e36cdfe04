"""Facts of a dump for linking, extracted by regular expressions without parsing."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from nirls.ir.io.level import LoweringLevel, accessed_slots, lowering_level
from nirls.ir.model.slots import parse_mask
from nirls.ir.model.stage import Stage
from nirls.ir.text.declarations import variables
from nirls.ir.text.structure import DIRECTIVE, body_start, header_fields

Neighbours = tuple[Stage | None, Stage | None]
"""Stages in front of and behind a shader, None where they are not known."""

_PIPELINE = re.compile(DIRECTIVE.pattern + rb"pipeline[ \t]+([^\r\n]+)")
_SET_DIGIT = re.compile(r"[1-9a-fA-F]")


@dataclass(frozen=True, slots=True)
class DumpFacts:
    """The header fields and the lowering level of a dump.

    `source` is the hash of the shader's source, `fingerprint` the hash of the dump's text in this process.
    `variables` are the names of global variables, only of a dump without a name. `inputs_read` and
    `outputs_written` are masks of slots; None if they are not known. They are those of the slot intrinsics,
    if there are any: the header of a driver's own shader has none, and few passes update that of others. Mesa
    prints the masks of the header that are not zero.
    """

    stage: Stage | None
    name: str | None = None
    next_stage: Stage | None = None
    pipeline: str | None = None
    prev_stage: Stage | None = None
    source: str | None = None
    is_internal: bool = False
    inputs_read: int | None = None
    outputs_written: int | None = None
    level: LoweringLevel | None = None
    is_separate: bool = False
    fingerprint: int | None = field(default=None, compare=False)
    variables: frozenset[bytes] = frozenset()

    @property
    def neighbours(self) -> Neighbours:
        """The stages in front of and behind the shader."""
        return self.prev_stage, self.next_stage


def dump_facts(text: bytes) -> DumpFacts:
    """Extract the facts of a dump from its text."""
    header = header_fields(text)
    directive = _PIPELINE.search(text)
    stage = Stage.from_mesa_name(header.get("shader", ""))
    prev_stage, next_stage = neighbours_of(header)
    inputs, outputs = _mask(header.get("inputs_read")), _mask(header.get("outputs_written"))
    level = lowering_level(text, stage, inputs or 0, outputs or 0)
    if level is LoweringLevel.LOWERED_IO:
        loaded, stored = accessed_slots(text)
        inputs, outputs = loaded or inputs, stored or outputs
    if inputs is not None or outputs is not None:
        inputs, outputs = inputs or 0, outputs or 0
    return DumpFacts(
        stage,
        header.get("name"),
        next_stage,
        None if directive is None else directive[1].decode("utf-8", "replace").strip(),
        prev_stage,
        next(
            (word for key, word in header.items() if key.startswith("source_") and is_source_hash(word)), None
        ),
        header.get("internal") == "true",
        inputs,
        outputs,
        level,
        header.get("separate_shader") == "true",
        # Not `zlib.crc32`: it releases Python's lock so often that other threads hardly get it.
        hash(text),
        frozenset() if "name" in header else _names_of_variables(text),
    )


def _names_of_variables(text: bytes) -> frozenset[bytes]:
    return frozenset(
        variable["name"] for variable in variables(text, 0, body_start(text)) if variable["name"]
    )


def is_source_hash(word: str) -> bool:
    """Whether the value of a `source_*` field is known; it is zero in shaders that drivers build."""
    return _SET_DIGIT.search(word) is not None


def neighbours_of(header: Mapping[str, str]) -> Neighbours:
    """Read the neighbours from the fields of a header.

    A `next_stage` of MESA_SHADER_VERTEX, which is 0, stands for an unset field.
    """
    following = Stage.from_mesa_name(header.get("next_stage", ""))
    previous = Stage.from_mesa_name(header.get("prev_stage", ""))
    return previous, None if following is Stage.VERTEX else following


def are_linked_elsewhere(neighbours: Neighbours, others: Neighbours) -> bool:
    """Whether two dumps of a shader name different stages in front of it or behind it.

    Linking sets these fields once, so such dumps are of two compilations, for two pipelines.
    """
    pairs = zip(neighbours, others, strict=True)
    return any(None not in pair and pair[0] is not pair[1] for pair in pairs)


def _mask(words: str | None) -> int | None:
    return None if words is None else parse_mask(words)
