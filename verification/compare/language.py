"""The language of a dump: in which words a shader speaks of what is outside of it, and of its own types.

`external_state` has the forms of addresses. Here are the rest: accesses by offsets of the hardware under the
names of common intrinsics, texture sources of a back end, inputs and outputs without a location, integers and
booleans that are floats, functions that only the hardware calls. All of it is read from the shader itself,
so that a driver that nobody knows is judged like the others: where two snapshots use different words, a
difference between them proves nothing.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterator

from nirls.ir.io.access import has_unlisted_captures
from nirls.ir.io.level import sides_by_offset
from nirls.ir.io.variables import is_undeclared_io
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.control_flow import If
from nirls.ir.model.instructions import (
    AluInstr,
    CallInstr,
    DerefInstr,
    Instr,
    IntrinsicInstr,
    LoadConstInstr,
    TexInstr,
    scalar_constant,
)
from nirls.ir.model.io_semantics import IoSemantics
from nirls.ir.model.shader import Shader
from nirls.ir.model.slots import UNKNOWN_LOCATION, UNNAMED_ATTRIBUTES
from nirls.ir.model.values import Def, Src
from nirls.ir.tables import intrinsic, opcode
from nirls.ir.tables.families import MOVES, VECTORS
from nirls.ir.text.attribute_numbers import attribute_semantics
from nirls.verification.compare.external_state import external_state

INTEGERS_AS_FLOATS = "integers as floats"
LISTED_CAPTURES = "lists of what transform feedback captures"
BOOLEANS_AS_FLOATS = "booleans as floats"
WITHOUT_LOCATION = "a location that is not printed for "
UNKNOWN_SLOTS = {True: "outputs at an unknown location", False: "inputs at an unknown location"}
UNNAMED_INPUTS = "numbers of vertex attributes that Mesa 21.3 changed"
BY_OFFSET = {True: "outputs by offset", False: "inputs by offset"}

_FIRST_NEUTRAL_SLOT = 128
_FLOAT_COMPARISONS = frozenset(("slt", "sge", "seq", "sne", "sgt", "sle"))
_FLOAT_SELECTIONS = ("fcsel", "fany_nequal", "fall_equal")
_ZERO_SELECTIONS = frozenset(("fcsel_gt", "fcsel_ge"))
"""Selections by the sign of a number, which is no boolean."""
_CONVERSIONS = ("f2i", "f2u", "i2f", "u2f")
_CLAMPS = frozenset(("fsat", "fmin", "fmax"))
_CONDITIONAL = ("discard_if", "demote_if", "terminate_if")
_REPLACED = (WITHOUT_LOCATION, "texture source")
_ONE, _MOST_INTEGER = 0x3F800000, float(1 << 24)


def words_of(shader: Shader) -> frozenset[str]:
    """Return all words of a shader."""
    words = set(external_state(shader))
    instrs = list(shader.instrs())
    for instr in instrs:
        words.update(_words_of_instr(instr))
        attribute = attribute_semantics(instr, shader.stage)
        if attribute is not None and attribute.location >= UNNAMED_ATTRIBUTES:
            words.add(UNNAMED_INPUTS)
    words.update(BY_OFFSET[side] for side in sides_by_offset(shader))
    words.update(f"the function {name}, which nothing calls" for name in _uncalled(shader, instrs))
    if any(_is_float(condition) for condition in _conditions(shader, instrs)):
        words.add(BOOLEANS_AS_FLOATS)
    is_captured = shader.header_value("has_transform_feedback_varyings") == "true"
    if is_captured and not has_unlisted_captures(shader):
        words.add(LISTED_CAPTURES)
    return frozenset(words)


def replaced_words(gone: frozenset[str]) -> frozenset[str]:
    """Return those of the words that only the first snapshot uses whose meaning the second one may change."""
    fixed = {BOOLEANS_AS_FLOATS, INTEGERS_AS_FLOATS, *BY_OFFSET.values()}
    return frozenset(word for word in gone if word in fixed or word.startswith(_REPLACED))


def unclear_words(words: frozenset[str]) -> frozenset[str]:
    """Return the words whose meaning only the driver knows, even where both snapshots use them."""
    return words & {BOOLEANS_AS_FLOATS, INTEGERS_AS_FLOATS, *UNKNOWN_SLOTS.values()}


def makes_integers_floats(before: Shader, after: Shader) -> bool:
    """Whether the second snapshot computes with floats all that the first one computes with integers.

    A conversion between both alone computes nothing, but what still has one knows integers. Where integers
    from outside are only converted, a move stands for each conversion.
    """
    (integers, floats), (integers_after, floats_after) = _arithmetic(before), _arithmetic(after)
    if integers_after or _count(after, _CONVERSIONS):
        return False
    if integers:
        return floats_after > floats
    converted = _count(before, ("i2f", "u2f"))
    return bool(converted) and _count(after, "mov") - _count(before, "mov") >= converted


def converts_texels(before: Shader, after: Shader) -> bool:
    """Whether other operations read what the textures return, as where it is swizzled or unpacked."""
    return _readers_of_texels(before) != _readers_of_texels(after)


def clamps_coordinates(before: Shader, after: Shader) -> bool:
    """Whether more coordinates of textures are clamped, as for a sampler that cannot do so itself."""
    return bool(_clamped_sources(after) - _clamped_sources(before))


def _clamped_sources(shader: Shader) -> Counter[str]:
    """Return how many operations clamp sources of texture instructions, by their names."""
    clamped = Counter[str]()
    for instr in shader.instrs():
        if isinstance(instr, TexInstr):
            makers = {maker for src in instr.sources for maker in _makers_of_components(src.def_instr)}
            clamped.update(maker.op for maker in makers if maker.op in _CLAMPS)
    return clamped


def _makers_of_components(maker: Instr | None) -> Iterator[AluInstr]:
    """Yield the operations that make the components of a source, looking through vectors."""
    if not isinstance(maker, AluInstr):
        return
    if maker.op not in MOVES | VECTORS:
        yield maker
        return
    for src in maker.sources:
        yield from _makers_of_components(src.def_instr)


def _readers_of_texels(shader: Shader) -> Counter[tuple[str, ...]]:
    """Return how often the result of a texture instruction has these readers."""
    return Counter(
        tuple(
            sorted(
                user.op if isinstance(user, AluInstr) else type(user).__name__ for user in instr.def_.users()
            )
        )
        for instr in shader.instrs()
        if isinstance(instr, TexInstr) and instr.def_ is not None
    )


def fixed_system_values(before: Shader, after: Shader) -> tuple[str, ...]:
    """Return the system values that only the first snapshot reads; none if the second one reads others.

    A driver may know them: the number of samples, vertices of a patch, or workgroups.
    """
    known, later = _system_values(before), _system_values(after)
    return () if later - known else tuple(sorted(known - later))


def _system_values(shader: Shader) -> frozenset[str]:
    return frozenset(
        instr.name.removeprefix("load_")
        for instr in shader.instrs()
        if isinstance(instr, IntrinsicInstr) and (row := intrinsic(instr.name)) is not None and row.is_sysval
    )


def new_numbers(before: Shader, after: Shader) -> tuple[str, ...]:
    """Return the constant numbers of textures, samplers, images and buffers that only the second one uses.

    None of a kind of which the first snapshot computes a number.
    """
    known, later = _numbers(before), _numbers(after)
    return tuple(
        f"{kind} {number}"
        for kind in sorted(later)
        if None not in known.get(kind, set())
        for number in sorted(item for item in later[kind] - known.get(kind, set()) if item is not None)
    )


def with_neutral_slots(shader: Shader) -> Shader:
    """Return a shader whose accesses by offset have a slot of their own for each offset.

    The slots that such accesses print mean nothing, and two stores to one of them are not to one place. A
    shader without such accesses is returned as it is.
    """
    sides = sides_by_offset(shader)
    if not sides:
        return shader
    copy = clone_shader(shader)
    for instr in copy.instrs():
        semantics = instr.io_semantics if isinstance(instr, IntrinsicInstr) else None
        if isinstance(instr, IntrinsicInstr) and semantics is not None and ("output" in instr.name) in sides:
            slot = _FIRST_NEUTRAL_SLOT + instr.int_index("base")
            instr.indices["io_semantics"] = IoSemantics(slot, semantics.num_slots)
    return copy


def _words_of_instr(instr: Instr) -> Iterator[str]:
    if isinstance(instr, TexInstr):
        yield from (f"texture source {src.kind}" for src in instr.sources if src.kind.startswith("backend"))
        if instr.def_ is not None:
            yield f"texture results as {instr.dest_type} in {instr.def_.num_components} components"
    elif isinstance(instr, DerefInstr):
        if is_undeclared_io(instr) and _is_accessed(instr):
            yield WITHOUT_LOCATION + instr.var_name
    elif isinstance(instr, AluInstr):
        if instr.op.startswith("unpack_") and _is_texture_result(instr.sources[0].def_instr):
            yield "packed texture results"
    elif isinstance(instr, IntrinsicInstr):
        semantics, is_output = instr.io_semantics, "output" in instr.name
        if semantics is not None and _width(instr) == 16:
            yield f"{'outputs' if is_output else 'inputs'} in 16 bits"
        if semantics is not None and semantics.location == UNKNOWN_LOCATION:
            yield UNKNOWN_SLOTS[is_output]
        address = _address(instr)
        if address is not None and _is_integral_float(address):
            yield INTEGERS_AS_FLOATS


def _is_accessed(deref: DerefInstr) -> bool:
    """Whether anything but derefs that nothing uses is made of a deref."""
    waiting = [deref]
    while waiting:
        made = waiting.pop().def_
        users = [] if made is None else list(made.users())
        derefs = [user for user in users if isinstance(user, DerefInstr)]
        if len(derefs) < len(users):
            return True
        waiting += derefs
    return False


def _is_texture_result(maker: Instr | None) -> bool:
    """Whether an instruction samples floats of 32 bits, or moves a component of such."""
    if isinstance(maker, AluInstr) and maker.op in MOVES:
        maker = maker.sources[0].def_instr
    return isinstance(maker, TexInstr) and maker.dest_type.startswith("float")


def _width(access: IntrinsicInstr) -> int | None:
    """Return the size in bits of the loaded or stored value."""
    value = access.def_ or (access.sources[0].def_ if access.sources else None)
    return None if value is None else value.bit_size


def _address(instr: IntrinsicInstr) -> Src | None:
    """Return the offset of an access, which is the last source of those with a base."""
    is_access = instr.name.startswith(("load_", "store_")) and "base" in instr.indices
    return instr.sources[-1] if is_access and instr.sources else None


def _is_integral_float(src: Src) -> bool:
    maker = src.def_instr
    if not isinstance(maker, LoadConstInstr) or maker.def_ is None or maker.def_.bit_size != 32:
        return False
    bits = maker.values[0]
    if bits < _ONE:
        return False
    number: float = struct.unpack("<f", struct.pack("<I", bits))[0]
    return 1.0 <= number < _MOST_INTEGER and number == int(number)


def _numbers(shader: Shader) -> dict[str, set[int | None]]:
    """Return the numbers of the resources that a shader accesses by kind, None for a computed one."""
    numbers: dict[str, set[int | None]] = {}
    for instr in shader.instrs():
        if isinstance(instr, TexInstr):
            numbers.setdefault("texture", set()).add(instr.texture_index)
            numbers.setdefault("sampler", set()).add(instr.sampler_index)
        elif isinstance(instr, IntrinsicInstr) and instr.sources:
            kind = next((word for word in ("ubo", "ssbo", "image") if word in instr.name), None)
            if kind is not None:
                number = scalar_constant(instr.sources[instr.name.startswith("store_")].def_)
                numbers.setdefault(kind, set()).add(number)
    return numbers


def _uncalled(shader: Shader, instrs: list[Instr]) -> Iterator[str]:
    """Yield the names of functions with effects that the shader neither starts with nor calls."""
    called = {instr.callee_name for instr in instrs if isinstance(instr, CallInstr)}
    for impl in shader.impls():
        is_run = impl is shader.entrypoint or impl.function.name in called
        if not is_run and any(
            isinstance(instr, IntrinsicInstr) and instr.def_ is None for instr in impl.instrs()
        ):
            yield impl.function.name


def _conditions(shader: Shader, instrs: list[Instr]) -> Iterator[Def | None]:
    for impl in shader.impls():
        yield from (node.condition.def_ for node in impl.cf_nodes() if isinstance(node, If))
    for instr in instrs:
        if isinstance(instr, IntrinsicInstr) and instr.name in _CONDITIONAL and instr.sources:
            yield instr.sources[0].def_
        elif isinstance(instr, AluInstr) and instr.op.startswith(_FLOAT_SELECTIONS):
            yield None if instr.op in _ZERO_SELECTIONS else instr.def_


def _is_float(condition: Def | None) -> bool:
    """Whether a condition is a number, made by a comparison or another operation on floats."""
    maker = None if condition is None else condition.instr
    if not isinstance(maker, AluInstr) or condition is None or condition.bit_size == 1:
        return False
    row = opcode(maker.op)
    return maker.op in _FLOAT_COMPARISONS or (row is not None and row.output_type.startswith("float"))


def _count(shader: Shader, ops: str | tuple[str, ...]) -> int:
    """Return the number of operations whose names begin with one of these."""
    return sum(isinstance(instr, AluInstr) and instr.op.startswith(ops) for instr in shader.instrs())


def _values(instr: AluInstr) -> list[Def | None]:
    return [instr.def_, *(src.def_ for src in instr.sources)]


def _arithmetic(shader: Shader) -> tuple[int, int]:
    """Return the numbers of the integer and of the float operations of a shader, without conversions.

    Logic on booleans is neither, though its opcodes are those of integers.
    """
    integers = floats = 0
    for instr in shader.instrs():
        if not isinstance(instr, AluInstr) or instr.op.startswith(("vec", "mov", "bcsel", "b32csel")):
            continue
        row = opcode(instr.op)
        if row is None or not row.input_types or row.is_conversion:
            continue
        if all(value is not None and value.bit_size == 1 for value in _values(instr)):
            continue
        types = (*row.input_types, row.output_type)
        integers += any(name.startswith(("int", "uint")) for name in types)
        floats += all(name.startswith(("float", "bool")) for name in types)
    return integers, floats
