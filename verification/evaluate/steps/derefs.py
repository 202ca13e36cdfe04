"""Derefs, and the intrinsics that access memory through them."""

from __future__ import annotations

from collections.abc import Callable

from nirls.ir.model.instructions import DerefInstr, IntrinsicInstr
from nirls.ir.model.values import Src
from nirls.verification.evaluate.alu.operation import encode
from nirls.verification.evaluate.state.compiler import Compiler, StepMaker
from nirls.verification.evaluate.state.state import State, Step
from nirls.verification.evaluate.steps.inputs import (
    barycentric,
    barycentric_at_offset,
    barycentric_at_sample,
    is_perspective,
)
from nirls.verification.evaluate.steps.opaque_values import opaque_value_step
from nirls.verification.evaluate.steps.variables.access import load, store
from nirls.verification.evaluate.steps.variables.inputs_outputs import (
    interpolate_input,
    part_place,
    read_input,
)
from nirls.verification.evaluate.values.errors import Unsupported
from nirls.verification.evaluate.values.marks import Marks
from nirls.verification.evaluate.values.pointer import Pointer, PointerIndex, Root
from nirls.verification.evaluate.values.value import Value, lane_index

PointerOf = Callable[[State], Pointer]


def deref_step(compiler: Compiler, instr: DerefInstr) -> Step:
    """Compile the pointer of a deref. Raises `Unsupported`."""
    make = _pointer_maker(compiler, instr)
    write = compiler.write(instr)
    dest = instr.def_
    assert dest is not None
    width, bit_size = max(dest.num_components, 1), dest.bit_size or 32

    def step(state: State) -> None:
        write(state, Value(state.blank(width, bit_size), bit_size, pointer=make(state)))

    return step


def _pointer_maker(compiler: Compiler, instr: DerefInstr) -> PointerOf:
    type_name = instr.type_name
    match instr.deref_kind:
        case "var":
            return _variable_pointer(compiler, instr)
        case "struct":
            parent, field = pointer_reader(compiler, instr.parent), instr.field
            if field is None:
                raise Unsupported("a struct deref without a field")
            return lambda state: parent(state).member(field, type_name)
        case "array":
            parent, index = pointer_reader(compiler, instr.parent), _index_reader(compiler, instr)
            return lambda state: parent(state).element(index(state), type_name)
        case "array_wildcard":
            parent = pointer_reader(compiler, instr.parent)
            return lambda state: parent(state).element(PointerIndex(0, 0, is_every=True), type_name)
        case "ptr_as_array":
            parent, index = pointer_reader(compiler, instr.parent), _index_reader(compiler, instr)
            return lambda state: parent(state).beyond(index(state))
        case "cast":
            return _cast(compiler, instr)
    raise Unsupported(f"deref_{instr.deref_kind}")


def _variable_pointer(compiler: Compiler, instr: DerefInstr) -> PointerOf:
    variable = instr.var or compiler.undeclared(instr)
    type_name, mode = variable.type_name, variable.mode
    if mode in ("function_temp", "local"):
        return lambda state: Pointer(Root(mode, variable, state.frame.locals), (), type_name)
    pointer = Pointer(Root(mode, variable), (), type_name)
    return lambda state: pointer


def _cast(compiler: Compiler, instr: DerefInstr) -> PointerOf:
    if instr.parent is None:
        raise Unsupported("a cast of nothing")
    if is_copied_only(instr):
        return pointer_reader(compiler, instr.parent)
    read, mode, type_name = compiler.read(instr.parent), instr.mode, instr.type_name

    def make(state: State) -> Pointer:
        value = read(state)
        if value.pointer is not None:
            return value.pointer.cast(type_name)
        root = Root(
            mode,
            descriptor=value.bits[0],
            descriptor_poison=None if value.poison is None else value.poison[0],
        )
        return Pointer(root, (), type_name)

    return make


def is_copied_only(cast: DerefInstr) -> bool:
    """Return whether a cast gives an address to `memcpy_deref` only, so that its type does not matter."""
    if cast.deref_kind != "cast" or cast.parent_deref is None or cast.def_ is None:
        return False
    return all(
        (isinstance(use.owner, IntrinsicInstr) and use.owner.name == "memcpy_deref")
        or (isinstance(use.owner, DerefInstr) and is_copied_only(use.owner))
        for use in cast.def_.uses
    )


def _index_reader(compiler: Compiler, instr: DerefInstr) -> Callable[[State], PointerIndex]:
    # The printed index is valid even if its constant was removed.
    if instr.const_index is not None:
        constant = PointerIndex(instr.const_index, 0)
        return lambda state: constant
    if instr.index is None:
        raise Unsupported("an array deref without index")
    read = compiler.read(instr.index)

    def index(state: State) -> PointerIndex:
        value = read(state)
        return PointerIndex(lane_index(value), 0, value.poison, value.fragile)

    return index


def pointer_reader(compiler: Compiler, src: Src | None) -> PointerOf:
    """Compile the read of the pointer in a src."""
    if src is None:
        raise Unsupported("a deref of nothing")
    read = compiler.read(src)

    def pointer(state: State) -> Pointer:
        found = read(state).pointer
        if found is None:
            raise Unsupported("a pointer that is no deref")
        return found

    return pointer


def _load_deref(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    pointer, write = pointer_reader(compiler, instr.sources[0]), compiler.write(instr)
    bit_size = instr.def_.bit_size if instr.def_ is not None else 32

    def step(state: State) -> None:
        value = load(state, pointer(state))
        write(state, value if value.bit_size == bit_size else _resized_boolean(value, bit_size))

    return step


def _resized_boolean(value: Value, bit_size: int) -> Value:
    """Convert a boolean to the boolean bit size of the dump."""
    if value.bit_size != 1 and bit_size != 1:
        raise Unsupported(f"a {value.bit_size}-bit variable read as {bit_size} bits")
    bits = encode(value.bits != 0, "bool", bit_size)
    return Value(bits, bit_size, value.poison, None, value.fragile)


def _store_deref(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    pointer, read = pointer_reader(compiler, instr.sources[0]), compiler.read(instr.sources[1])
    mask = instr.write_mask

    def step(state: State) -> None:
        value = read(state)
        if value.pointer is not None:
            raise Unsupported("a pointer stored in memory")
        store(state, pointer(state), value, mask, state.masks.active)

    return step


def _copy_deref(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    to, source = (pointer_reader(compiler, src) for src in instr.sources[:2])
    types = compiler.types

    def step(state: State) -> None:
        for target, origin in zip(to(state).spelled_out(), source(state).spelled_out(), strict=False):
            copy(state, target, origin)

    def copy(state: State, target: Pointer, origin: Pointer) -> None:
        for path, leaf in list(types.leaves(origin.type_name)):
            part, destination = origin, target
            for key in path:
                inner = types.member_type(part.type_name, key)
                if isinstance(key, str):
                    part, destination = part.member(key, inner), destination.member(key, inner)
                else:
                    index = PointerIndex(key, 0)
                    part, destination = part.element(index, inner), destination.element(index, inner)
            store(state, destination, load(state, part), (1 << leaf.num_components) - 1, state.masks.active)

    return step


def _interp(kind: str) -> StepMaker:
    def make(compiler: Compiler, instr: IntrinsicInstr) -> Step:
        pointer, write = pointer_reader(compiler, instr.sources[0]), compiler.write(instr)
        argument = compiler.read(instr.sources[1]) if len(instr.sources) > 1 else None

        def step(state: State) -> None:
            target = pointer(state)
            variable = target.root.variable
            perspective = is_perspective(None if variable is None else variable.interpolation)
            if kind == "vertex":
                assert argument is not None
                number = argument(state)
                value = read_input(
                    state, target, part_place(target, state.launch.stage, state.lanes), lane_index(number)
                )
                write(state, Marks.of(number).marked(value))
                return
            if argument is None:
                weight = barycentric(state, "centroid", perspective)
            elif kind == "offset":
                weight = barycentric_at_offset(state, argument(state), perspective)
            else:
                weight = barycentric_at_sample(state, argument(state), perspective)
            write(state, interpolate_input(state, target, weight))

        return step

    return make


def _load_param(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    """The argument of the call; made up for the entry point, which the driver or another shader calls."""
    number, write = instr.int_index("param_idx"), compiler.write(instr)
    of_entry_point = opaque_value_step(compiler, instr)

    def step(state: State) -> None:
        if len(state.calls) == 1:
            of_entry_point(state)
            return
        parameters = state.calls[-1].parameters
        if number >= len(parameters):
            raise Unsupported("a parameter without an argument")
        write(state, parameters[number])

    return step


def _texture_source(compiler: Compiler, instr: IntrinsicInstr) -> Step:
    """Hand on the address of a texture, before GL assigns numbers to textures."""
    pointer, write = pointer_reader(compiler, instr.sources[0]), compiler.write(instr)
    bit_size = 32 if instr.def_ is None else instr.def_.bit_size
    return lambda state: write(state, Value(state.blank(1, bit_size), bit_size, pointer=pointer(state)))


STEPS = {
    "deref_texture_src": _texture_source,
    "load_param": _load_param,
    "load_deref": _load_deref,
    "store_deref": _store_deref,
    "copy_deref": _copy_deref,
    "interp_deref_at_centroid": _interp("centroid"),
    "interp_deref_at_offset": _interp("offset"),
    "interp_deref_at_sample": _interp("sample"),
    "interp_deref_at_vertex": _interp("vertex"),
}
