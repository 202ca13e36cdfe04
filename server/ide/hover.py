"""Hover texts for the entity at the cursor, as Markdown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from nirls.ir.finding import counted
from nirls.ir.io.interpolation import FragmentInputs
from nirls.ir.io.level import LoweringLevel
from nirls.ir.io.view import IoView
from nirls.ir.model.control_flow import Block, If
from nirls.ir.model.float_bits import FLOAT_SIZES, float_of
from nirls.ir.model.instructions import Instr, IntrinsicInstr, LoadConstInstr, TexInstr
from nirls.ir.model.io_semantics import IoSemantics, XfbOutputs
from nirls.ir.model.shader import Function, HeaderField, Shader, Variable
from nirls.ir.model.slots import number_of_attribute, slot_name, slot_number
from nirls.ir.model.span import Span
from nirls.ir.model.stage import Stage
from nirls.ir.model.values import Def, Register
from nirls.ir.tables import (
    describe_intrinsic,
    describe_opcode,
    intrinsic,
    opcode,
)
from nirls.ir.tables.entries import Intrinsic
from nirls.ir.tables.releases import format_releases
from nirls.ir.tables.signatures import signature_of_intrinsic, signature_of_opcode
from nirls.ir.text.attribute_numbers import attribute_semantics
from nirls.ir.text.debug_lines import comments_above, spirv_offset
from nirls.ir.text.printing.constants import signed
from nirls.ir.text.release import estimated_release
from nirls.passes.discards.kinds import is_discard
from nirls.server.engine.base.shown_text import printable
from nirls.server.ide.cursor.entities import (
    Entity,
    HeaderKeyEntity,
    IndexEntity,
    IntrinsicEntity,
    OpcodeEntity,
    SlotEntity,
)
from nirls.server.ide.cursor.glossary import HEADER_FIELDS, INDICES, INSTRUCTIONS, description
from nirls.server.ide.header_slots import slots_of_field
from nirls.server.ide.packing.varying_flow import is_input, partner_accesses

if TYPE_CHECKING:
    from nirls.server.ide.convergence import Convergence

GivenOptions = Mapping[str, Mapping[str, object]]

Link = Callable[[Span], str]
"""Returns the URI of a place of the dump."""

MOST_LINKS = 10
"""Largest number of uses of a value that are listed."""

_LONGEST_LINK = 80
_MOST_LINES = 12
_SEPARATE = "separate_shader"


_MARKDOWN: Final = re.compile(r"[\\`*_\[\]<>&#|~]|://")
"""Text that Markdown may take for more than words."""


@dataclass(frozen=True, slots=True)
class Stages:
    """The linked stages of a pipeline; `position` is that of the dump with the cursor."""

    stages: Sequence[IoView]
    position: int
    reason: str


def hover(
    stage: IoView,
    entity: Entity,
    convergence: Convergence | None = None,
    pipelines: Sequence[Stages] = (),
    options: GivenOptions = MappingProxyType({}),
    driver: str = "",
    link: Link | None = None,
) -> str | None:
    """Return Markdown about an entity; None if there is no information.

    `convergence` is used for values and blocks; `pipelines` are those with the dump; `options` are the pass
    options of the settings, by pass name; `driver` describes the driver profile. `link` makes the uses of a
    value links.
    """
    shader = stage.shader
    match entity:
        case Def():
            parts = _value(shader, entity, convergence, link)
        case Register():
            parts = _register(entity)
        case Block():
            parts = _block(entity, convergence)
        case Variable():
            parts = _variable(shader, entity, pipelines)
        case Function():
            parts = [_code(_line_of(shader, entity.span) or f"decl_function {entity.name}")]
        case OpcodeEntity():
            parts = _opcode(shader, entity)
        case IntrinsicEntity():
            parts = _intrinsic(stage, entity, options)
        case IndexEntity():
            parts = _index(shader, entity)
        case SlotEntity():
            parts = _slot(entity, pipelines)
        case HeaderKeyEntity():
            parts = _header(entity.field, shader.stage)
            if driver and entity.field.key in ("shader", _SEPARATE):
                parts.append(f"Driver profile: {driver}")
    return "\n\n".join(part for part in parts if part) or None


def _value(shader: Shader, value: Def, convergence: Convergence | None, link: Link | None) -> list[str]:
    instr = value.instr
    parts = []
    if instr is None:
        parts.append(f"**%{value.index}** is not defined in this function.")
    else:
        parts.append(_code(_line_of(shader, instr.span)))
        parts.append(_debug_info(shader, value))
        parts.append(_type(value))
        if isinstance(instr, LoadConstInstr):
            parts.append(_constant(instr, value.bit_size))
    if convergence is not None and instr is not None:
        parts.append(_bullets(convergence.of_value(value)))
    parts.append(_uses(value))
    if link is not None:
        parts.append(_links_to_uses(shader, value, link))
    return parts


def _debug_info(shader: Shader, value: Def) -> str:
    """Describe a value's source name, and the SPIR-V offset from the line above."""
    name = f"Named `{value.name}`" if value.name is not None else ""
    span = None if value.instr is None else value.instr.span
    above = [] if span is None else comments_above(shader.source, span.start)
    offset = spirv_offset(above[-1]) if above else None
    where = f"SPIR-V offset {offset:#x}" if offset is not None else ""
    return ", ".join(part for part in (name, where) if part)


def _type(value: Def) -> str:
    if not value.bit_size:
        return ""
    components = counted(value.num_components, "component")
    bits = "1 bit (boolean)" if value.bit_size == 1 else f"{value.bit_size} bits"
    return f"{components} of {bits}"


def _constant(instr: LoadConstInstr, bit_size: int) -> str:
    shown = [_constant_forms(bits, bit_size) for bits in instr.values[:16]]
    return "Constant: " + ", ".join(shown)


def _constant_forms(bits: int, bit_size: int) -> str:
    if bit_size == 1:
        return f"`{'true' if bits else 'false'}`"
    if bit_size < 1:
        return f"`{bits:#x}`"
    digits = max(bit_size // 4, 1)
    forms = [f"0x{bits:0{digits}x}", str(signed(bits, bit_size))]
    if bit_size in FLOAT_SIZES:
        forms.append(f"{float_of(bits, bit_size):g}")
    return "`" + " = ".join(forms) + "`"


def _uses(value: Def) -> str:
    users = list(value.users())
    if not users:
        return "Not used."
    blocks = {user.block.index for user in users if isinstance(user, Instr) and user.block is not None}
    where = f" in {len(blocks)} blocks" if len(blocks) > 1 else ""
    conditions = sum(isinstance(user, If) for user in users)
    extra = f", {conditions} of them a condition" if conditions else ""
    return f"{counted(len(value.uses), 'use')}{where}{extra}."


def _links_to_uses(shader: Shader, value: Def, link: Link) -> str:
    """List the places of the uses of a value in order, one link a line."""
    spans = {span.start: span for user in value.users() if (span := user.span) is not None}
    shown = [spans[start] for start in sorted(spans)]
    lines = []
    for span in shown[:MOST_LINKS]:
        text = " ".join((_line_of(shader, span) or "").split())
        text = text.replace("`", "'")
        shortened = text if len(text) <= _LONGEST_LINK else f"{text[: _LONGEST_LINK - 1]}…"
        lines.append(f"- [`{shortened}`]({link(span)})")
    if len(shown) > MOST_LINKS:
        lines.append(f"- … {len(shown) - MOST_LINKS} more")
    return "\n".join(lines)


def _register(reg: Register) -> list[str]:
    array = f", array of {reg.num_array_elems}" if reg.num_array_elems else ""
    name = f" ({reg.name})" if reg.name else ""
    return [
        f"**Register r{reg.index}**{name}: {reg.num_components} x {reg.bit_size} bits{array}",
        f"{len(reg.writes)} writes, {len(reg.uses)} reads.",
    ]


def _block(block: Block, convergence: Convergence | None) -> list[str]:
    predecessors = " ".join(f"b{pred.index}" for pred in block.predecessors) or "none"
    successors = " ".join(f"b{succ.index}" for succ in block.successors) or "none"
    parts = [
        f"**Block b{block.index}**: {counted(sum(1 for _ in block), 'instruction')}",
        f"Predecessors: {predecessors}. Successors: {successors}.",
    ]
    if convergence is not None:
        parts.append(_bullets(convergence.of_block(block)))
    return parts


def _variable(shader: Shader, variable: Variable, pipelines: Sequence[Stages]) -> list[str]:
    parts = [_code(_line_of(shader, variable.span))]
    if variable.location is not None:
        name = variable.location.partition(".")[0]
        parts += _slot(SlotEntity(name, variable), pipelines)
    return parts


def _opcode(shader: Shader, entity: OpcodeEntity) -> list[str]:
    name = entity.name
    entry = opcode(name)
    if entry is not None:
        form = entry.form_of(estimated_release(shader.source))
        return [
            _code(signature_of_opcode(form)),
            describe_opcode(name),
            _releases(form.releases, shader),
        ]
    if isinstance(entity.instr, TexInstr):
        return [f"**{name}**", INSTRUCTIONS.get(name, INSTRUCTIONS["tex"])]
    text = INSTRUCTIONS.get(name)
    return [f"**{name}**", text] if text is not None else []


def _intrinsic(stage: IoView, entity: IntrinsicEntity, options: GivenOptions) -> list[str]:
    shader = stage.shader
    entry = intrinsic(entity.name)
    if entry is None:
        return [f"**@{entity.name}** is in no Mesa release that nirls supports."]
    form = _printed_form(entry, entity.instr, estimated_release(shader.source))
    flags = []
    if form.can_eliminate:
        flags.append("may be removed when its result is not read")
    if form.can_reorder:
        flags.append("may be moved and repeated freely")
    return [
        _code(signature_of_intrinsic(form)),
        describe_intrinsic(entity.name),
        _sentence(" and ".join(flags)),
        _backend_slot(stage, entity.instr),
        _why_it_stays(shader, entity.instr, options),
        _how_interpolated(stage, entity.instr),
        *_what_it_orders(shader, entity.instr),
        _releases(form.releases, shader),
    ]


def _printed_form(entry: Intrinsic, instr: IntrinsicInstr, release: str) -> Intrinsic:
    """Return the form with the printed sources and indices, that of the release if it fits."""
    forms = [entry.form_of(release), *entry.forms()]
    printed = set(instr.indices)
    fitting = (
        form
        for form in forms
        if len(form.src_components) == len(instr.sources) and printed.issubset(form.indices)
    )
    return next(fitting, forms[0])


_BACKEND_IO = ("ald_nv", "ast_nv", "ipa_nv", "fs_out_nv", "export_amd", "export_row_amd")


def _backend_slot(stage: IoView, instr: IntrinsicInstr) -> str:
    """Describe the slots of an access of backend I/O; "" for other instructions."""
    accesses = [one for one in stage.accesses_of(instr) if one.form is LoweringLevel.BACKEND_IO]
    if accesses:
        kind = "output" if accesses[0].is_output else "input"
        names = [
            slot_name(access.slot, stage.shader.stage, is_output=access.is_output) for access in accesses
        ]
        if accesses[0].is_indirect:
            return f"Accesses {kind} slots from `{names[0]}` on, by a variable index."
        letters = ("".join("xyzw"[component] for component in access.components) for access in accesses)
        listed = ", ".join(f"`{name}.{found}`" for name, found in zip(names, letters, strict=True))
        return f"Accesses the {kind} {listed}."
    if instr.name in _BACKEND_IO:
        return "The numbers of this access do not name a slot."
    reason = stage.why_unknown(instr)
    return f"Which slot this accesses is not known: {reason}." if reason else ""


def _how_interpolated(stage: IoView, instr: IntrinsicInstr) -> str:
    """Describe how a fragment shader reads an input, and what says so; empty for other instructions."""
    shader = stage.shader
    access = next(iter(stage.accesses_of(instr)), None)
    if shader.stage is not Stage.FRAGMENT or access is None or access.is_output:
        return ""
    if access.form is LoweringLevel.VARIABLES:
        return ""
    inputs = FragmentInputs(shader)
    reading = inputs.reading(instr)
    if reading is None:
        return f"Interpolation unknown: {inputs.refusal(instr) or 'the load does not show it'}."
    words = [reading.kind.value]
    if reading.interpolation is not None and not reading.at_a_point:
        words.append(reading.interpolation.name.lower().replace("_", ", at "))
    source = "the load" if reading.declaration is None else f"the declaration of {reading.declaration.name}"
    text = f"Read {', '.join(words)} (by {source})."
    return f"{text} Point sprites may replace x and y." if reading.replaced else text


def _why_it_stays(shader: Shader, instr: IntrinsicInstr, options: GivenOptions) -> str:
    """Describe why a discard cannot move to the top of its function; "" if it can or is no discard."""
    if not is_discard(instr):
        return ""
    # Passes are imported for hovers over discards and barriers only.
    from nirls.passes.discards.opt_move_discards_to_top import OptMoveDiscardsToTop

    given = options.get(OptMoveDiscardsToTop.name, {})
    reason = OptMoveDiscardsToTop.with_usable_options(given).why_not_movable(shader, instr)
    return f"Cannot move up: {reason}." if reason else ""


def _what_it_orders(shader: Shader, instr: IntrinsicInstr) -> list[str]:
    """Describe the effect of a barrier; empty for other intrinsics."""
    if "barrier" not in instr.name:
        return []
    from nirls.passes.barriers.describe import describe_barrier  # see above

    found = describe_barrier(shader, instr)
    if found is None:
        return []
    if found.needless:
        return [found.effect, f"Orders nothing: {found.needless}."]
    if not found.before and not found.after:
        return [found.effect]
    before = _code(
        *(
            _line_of(shader, access.span)
            + ("  // in the previous iteration" if _is_behind(access, instr) else "")
            for access in found.before[:_MOST_LINES]
        )
    )
    after = _code(
        *(
            _line_of(shader, access.span)
            + ("  // in the next iteration" if _is_behind(instr, access) else "")
            for access in found.after[:_MOST_LINES]
        )
    )
    if not found.before:
        return [
            found.effect,
            "Orders, as nothing else here does, what the shader before it did before:",
            after,
        ]
    return [
        found.effect,
        "Orders, as nothing else here does:",
        before,
        *(
            ("before what other invocations do in:", after)
            if found.after
            else ("before what later shaders do.",)
        ),
    ]


def _is_behind(second: Instr, first: Instr) -> bool:
    """Whether an instruction stands behind another in the text."""
    return second.span is not None and first.span is not None and second.span.start > first.span.start


def _releases(releases: Sequence[str], shader: Shader) -> str:
    """Describe the releases with the shown definition, and the estimated one of the dump."""
    here = estimated_release(shader.source)
    text = f"Definition of Mesa {format_releases(releases)}"
    if here in releases:
        return f"{text}; this dump seems to be of {here}"
    return text


def _index(shader: Shader, entity: IndexEntity) -> list[str]:
    printed = _printed_index(entity.instr, entity.name)
    if printed is None:
        return []
    name, value = printed
    text = _index_text(value)
    attribute = attribute_semantics(entity.instr, shader.stage)
    if isinstance(value, IoSemantics) and attribute is not None:
        text = _attribute_text(shader, attribute)
    text = text.replace("`", "'")
    return [f"**{name}** = `{text}`", INDICES.get(name, "")]


def _attribute_text(shader: Shader, semantics: IoSemantics) -> str:
    """Return the text of the location of a vertex attribute, its number as the dump prints it."""
    number = str(number_of_attribute(semantics.location, shader.attribute_numbers))
    text = _index_text(semantics).replace(str(semantics.location), number, 1)
    name = slot_name(semantics.location, Stage.VERTEX, is_output=False)
    return f"{text}: {'its name depends on the release' if name == number else name}"


def _printed_index(instr: IntrinsicInstr, word: str) -> tuple[str, object] | None:
    names = {"wrmask": "write_mask", "io": "io_semantics", "xfb": "io_xfb", "location": "io_semantics"}
    name = names.get(word, word)
    if name in instr.indices:
        return name, instr.indices[name]
    # On a value: the index that prints as this word, if it is unique.
    matching = [(key, value) for key, value in instr.indices.items() if str(value) == word]
    return matching[0] if len(matching) == 1 else None


def _index_text(value: object) -> str:
    match value:
        case IoSemantics():
            words = [f"location {value.location}", f"{value.num_slots} slots", *value.flags]
            return ", ".join(words)
        case XfbOutputs():
            return ", ".join(
                f"components {first}..{first + size - 1} to buffer {buffer} at dword {offset}"
                for first, size, buffer, offset in value.outputs
            )
        case tuple():
            return " ".join(str(item) for item in value)
        case _:
            return str(value)


def _slot(slot: SlotEntity, pipelines: Sequence[Stages]) -> list[str]:
    number = slot_number(slot.name)
    known = f" (slot {number})" if number >= 0 else ""
    parts = [f"**{slot.name}**{known}" if slot.name.isidentifier() else ""]
    parts.append(description("slot", slot.name))
    parts.extend(_slot_in(slot, stages) for stages in pipelines)
    return parts


def _slot_in(slot: SlotEntity, stages: Stages) -> str:
    reads = is_input(slot.node)
    if reads is None:
        return ""
    other = stages.position - 1 if reads else stages.position + 1
    if not 0 <= other < len(stages.stages):
        return ""
    shader = stages.stages[other].shader
    stage = shader.stage.abbreviation if shader.stage is not None else "the linked stage"
    found = partner_accesses(stages.stages, stages.position, slot)
    verb = "Written" if reads else "Read"
    if not found:
        return f"{verb} nowhere in the {stage} ({_words(stages.reason)})."
    lines = [_line_of(shader, access.span) for access in found[:_MOST_LINES]]
    more = f"\n\n... and {len(found) - _MOST_LINES} more." if len(found) > _MOST_LINES else ""
    return f"{verb} in the {stage} ({_words(stages.reason)}):\n\n{_code(*lines)}{more}"


def _header(field: HeaderField, written_in: Stage | None) -> list[str]:
    text = HEADER_FIELDS.get(field.key, "")
    if field.key in ("shader", "next_stage"):
        stage = Stage.from_mesa_name(field.value)
        name = f" ({stage.abbreviation})" if stage is not None else ""
        return [f"**{field.key}**: {field.value}{name}", text]
    slots = slots_of_field(field.key, field.value, written_in)
    return [f"**{field.key}**" + (f": {slots}" if slots else ""), text] if text or slots else []


def _bullets(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}." if text else ""


def _code(*lines: str) -> str:
    shown = [line for line in lines if line]
    return "```nir\n" + "\n".join(shown) + "\n```" if shown else ""


def _line_of(shader: Shader, span: Span | None) -> str:
    if span is None:
        return ""
    line = shader.source[span.start : span.end]
    text = line[:300].decode("utf-8", "replace").strip()
    return text if len(line) <= 300 else text + "..."


def _words(text: str) -> str:
    """Return names of `nirls.toml` and files as Markdown, in a code span if they may be read as more."""
    shown = " ".join(printable(text).split())
    return "`" + shown.replace("`", "'") + "`" if _MARKDOWN.search(shown) else shown
