"""Inputs of any size, each of which grows in one dimension."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from tools.synthetic import dump, fragment_dump, store, vertex_dump

_CONSTANT: Final = "32    %0 = load_const (0x00000000 = 0.000000)"
_CONDITION: Final = "1     %2 = flt %0, %1"


def _dump(
    lines: Sequence[str], stage: str = "VERTEX", header: str = "", value: int = 0, slots: str = "slots=1"
) -> str:
    """A dump whose main function has these lines in its first block, and stores a value."""
    code = (_CONSTANT, *lines, store("VARYING_SLOT_VAR0", value, slots))
    return dump(stage, code, f"subgroup_size: 0\n{header}")


def _input(number: int, slot: int = 0) -> str:
    return (
        f"32    %{number} = @load_input (%0 (0x0)) (base=0, range=1, component=0, dest_type=float32,"
        f" io location=VERT_ATTRIB_GENERIC{slot} slots=1)"
    )


def _structured(body: Sequence[str], last_block: int, value: int = 1) -> str:
    """A dump whose main function has these lines after a condition (%2); they begin in the first block."""
    code = (_CONSTANT, _input(1), _CONDITION, *body, store("VARYING_SLOT_VAR0", value))
    return dump("VERTEX", code, end_block=last_block + 1)


def one_block(size: int) -> str:
    return vertex_dump(size)


def many_blocks(size: int) -> str:
    """A sequence of ifs, four lines of code each."""
    lines: list[str] = []
    block, value = 0, 3
    for _ in range(max(1, size // 8)):
        lines += [
            f"           // succs: b{block + 1} b{block + 2}",
            "if %2 {",
            f"    block b{block + 1}:  // preds: b{block}",
            f"    32    %{value} = fadd %1, %0",
            f"               // succs: b{block + 3}",
            "} else {",
            f"    block b{block + 2}:  // preds: b{block}, succs: b{block + 3}",
            "}",
            f"block b{block + 3}:  // preds: b{block + 1} b{block + 2}",
            f"32    %{value + 1} = phi b{block + 1}: %{value}, b{block + 2}: %1",
        ]
        block, value = block + 3, value + 2
    return _structured(lines, block, value - 1)


def nested_ifs(size: int) -> str:
    """Ifs in ifs, one for every 20 lines of the size."""
    depth = max(1, size // 20)
    opening: list[str] = []
    closing: list[str] = []
    for level in range(depth):
        pad = "    " * level
        opening += [
            f"{pad}           // succs: b{level + 1} b{3 * depth - 1 - 2 * level}",
            f"{pad}if %2 {{",
            f"{pad}    block b{level + 1}:  // preds: b{level}",
            f"{pad}    32    %{3 + level} = fadd %{2 + level if level else 1}, %1",
        ]
    for level in reversed(range(depth)):
        pad = "    " * level
        place = depth + 2 * (depth - 1 - level)
        closing += [
            f"{pad}               // succs: b{place + 2}",
            f"{pad}}} else {{",
            f"{pad}    block b{place + 1}:  // preds: b{level}, succs: b{place + 2}",
            f"{pad}}}",
            f"{pad}block b{place + 2}:  // preds: b{place} b{place + 1}",
        ]
    return _structured([*opening, *closing], 3 * depth)


def nested_loops(size: int) -> str:
    """Loops in loops, one for every 40 lines of the size, each left by a condition."""
    depth = max(1, size // 40)
    lines: list[str] = []
    block = 0
    for level in range(depth):
        pad = "    " * level
        lines += [
            f"{pad}           // succs: b{block + 1}",
            f"{pad}loop {{",
            f"{pad}    block b{block + 1}:  // preds: b{block}",
            f"{pad}               // succs: b{block + 2} b{block + 3}",
            f"{pad}    if %2 {{",
            f"{pad}        block b{block + 2}:  // preds: b{block + 1}",
            f"{pad}        break",
            f"{pad}                   // succs: b9",
            f"{pad}    }} else {{",
            f"{pad}        block b{block + 3}:  // preds: b{block + 1}, succs: b{block + 4}",
            f"{pad}    }}",
            f"{pad}    block b{block + 4}:  // preds: b{block + 3}",
        ]
        block += 4
    for level in reversed(range(depth)):
        pad = "    " * level
        lines += [f"{pad}}}", f"{pad}block b{block + 1}:  // preds: b9"]
        block += 1
    return _structured(lines, block)


def many_dumps(size: int) -> str:
    """Dumps of shaders that are not linked, in one log."""
    return "".join(
        f"nir_opt_dce\n{_named(vertex_dump(30, number).replace('VERTEX', 'COMPUTE', 1), number)}"
        for number in range(max(1, size // 40))
    )


def many_pipelines(size: int) -> str:
    """Pairs of stages in one log."""
    return "".join(
        _named(vertex_dump(12, number), number) + _named(fragment_dump(12, number), number)
        for number in range(max(1, size // 50))
    )


def _named(text: str, number: int) -> str:
    """Give a dump a name and a source hash, so that it is not taken for a snapshot of the dump above."""
    first, _, rest = text.partition("\n")
    source = f"source_blake3: {{{number + 1:#010x}, 0, 0, 0, 0, 0, 0, 0}}"
    return f"{first}\n{source}\nname: GLSL{number}\n{rest}"


def many_snapshots(size: int) -> str:
    """Snapshots of one shader after each pass of a log, every second of which changes the shader."""
    parts = []
    for number in range(max(4, size // 25)):
        first, _, rest = vertex_dump(30, number // 2 % 2).partition("\n")
        parts.append(f"nir_opt_pass_{number % 7}\n{first}\nname: one\n{rest}")
    return "".join(parts)


def many_consumers(size: int) -> str:
    """Pairs of one vertex shader with different fragment shaders."""
    return "".join(
        f"{vertex_dump(20)}\n{_named(fragment_dump(20, number), number)}\n"
        for number in range(max(1, size // 50))
    )


def shared_value(size: int) -> str:
    """A constant that integer, float and Boolean instructions use."""
    operations = ("iadd {}, %0", "fadd {}, %0", "iand {}, %0", "fmax {}, %0", "mov {}")
    lines = [_input(1)]
    lines += [
        f"32    %{number} = {operations[number % 5].format(f'%{number - 1}')}"
        for number in range(2, size + 2)
    ]
    return _dump(lines, value=size + 1)


def shared_constant(size: int) -> str:
    """A constant used by moves and selects, whose own types depend on other uses."""
    lines = [_input(1), _CONDITION]
    lines += [
        f"32    %{number} = bcsel %2, %0, %{max(number - 1, 3) if number > 3 else 1}"
        for number in range(3, size + 3)
    ]
    return _dump(lines, value=size + 2)


def long_lines(size: int) -> str:
    """One long name, one long comment and one phi with long numbers."""
    name = "x" * (size * 20)
    lines = [_input(1), f"32    %2 = fadd %0, %1  // {'word ' * size * 4}"]
    return f"text {'word ' * size * 4}\n" + _dump(lines, header=f"name: {name}\n", value=2)


def blanks(size: int) -> str:
    """Long runs of blanks in every part of a text."""
    run = " " * (size * 10)
    tabs = "\t" * (size * 5)
    lines = [_input(1), f"32    %2{run}= fadd{run}%0,{tabs}%1{run}//{run}x", f"{run}{tabs}"]
    header = f"name:{run}x\ninputs:{run}\ndecl_var{run}shader_in{tabs}vec4 a{run}\n"
    return f"{run}\nnir_opt_dce{run}x\n{run}{tabs}x\n" + _dump(lines, header=header, value=2) + f"{run}\n" * 2


def blank_lines(size: int) -> str:
    """Runs of empty lines between and within dumps."""
    run = "\n" * (size * 10)
    return run + _dump([_input(1), run, "32    %2 = fadd %0, %1"], value=2) + run + fragment_dump(20) + run


def many_variables(size: int) -> str:
    """Declared inputs, outputs and uniforms with derefs."""
    header = "".join(
        f"decl_var {('shader_in', 'shader_out', 'uniform')[number % 3]} INTERP_MODE_NONE none vec4 v{number}"
        f" ({('VERT_ATTRIB_GENERIC0', 'VARYING_SLOT_VAR1', '0')[number % 3]}.xyzw, {number}, 0)\n"
        for number in range(size // 2)
    )
    lines = []
    value = 1
    for number in range(0, size // 2, 3):
        lines += [
            f"32    %{value} = deref_var &v{number} (shader_in vec4)",
            f"32x4  %{value + 1} = @load_deref (%{value}) (access=none)",
            f"32    %{value + 2} = deref_var &v{number + 1} (shader_out vec4)",
            f"           @store_deref (%{value + 2}, %{value + 1}) (wrmask=xyzw, access=none)",
        ]
        value += 3
    return _dump(lines[: -4 if size // 2 % 3 == 1 else None], header=header)


def many_slots(size: int) -> str:
    """A pair of stages with accesses of ever more slots, direct and indirect."""
    number = size * 1_000_000
    vertex = _dump([_input(1)], value=1, slots=f"slots={number}")
    indirect = vertex.replace("%0 (0x0)", "%1")
    return vertex + indirect + fragment_dump(20).replace("slots=1", f"slots={number}")


def many_accesses(size: int) -> str:
    """A pair of stages with many stores and loads of 32 slots."""
    number = max(1, size // 3)
    place = "component=0, {}_type=float32, io location=VARYING_SLOT_VAR{} slots=1"
    stores = [
        "           @store_output (%1, %0 (0x0)) (base=0, range=1, wrmask=x,"
        f" {place.format('src', each % 32)}, xfb(), xfb2())"
        for each in range(number)
    ]
    loads = ["32x2  %1 = @load_barycentric_pixel (interp_mode=INTERP_MODE_SMOOTH)"]
    for each in range(number):
        # As many digits in every size: the columns of text with longer numbers are laid out again.
        value = 2 * each + 100_000
        loads += [
            f"32    %{value} = @load_interpolated_input (%1, %0 (0x0)) (base=0,"
            f" {place.format('dest', each % 32)})",
            f"32    %{value + 1} = fadd %{value}, %{value - 1 if each else value}",
        ]
    fragment = _dump(loads, "FRAGMENT", value=value + 1).replace(
        "io location=VARYING_SLOT_VAR0 slots=1, xfb", "io location=FRAG_RESULT_COLOR slots=1, xfb"
    )
    return _dump([_input(1), *stores], value=1) + fragment


def large_numbers(size: int) -> str:
    """Numbers of ever more digits wherever a dump has numbers."""
    digits = "9" * size
    header = (
        f"inputs: {digits}\nsubgroup_size: {digits}\n"
        f"decl_var shader_in INTERP_MODE_NONE none vec4[{digits}] a ({digits}, 0, 0)\n"
    )
    return _dump(
        [_input(1), f"32    %{digits} = fadd %0, %1", f"32x{digits}  %2 = fadd %0, %1"],
        header=header,
        slots=f"slots={digits}",
    )


def broken_lines(size: int) -> str:
    """Lines that are not NIR, and unknown opcodes, in a dump."""
    kinds = ("32    %{0} = nothing %0", "32    %{0} = fadd %9999{0}, %0", ") broken (((", "}}")
    lines = [kinds[number % 4 if number % 3 else 0].format(number) for number in range(1, size + 1)]
    return _dump(lines)


def brackets(size: int) -> str:
    """Unbalanced brackets in a dump."""
    return _dump(
        [_input(1), f"32    %2 = {'(' * size * 2}", "{" * size, "loop {", f"32    %3 = fadd {'-(' * size}"]
    )


def many_functions(size: int) -> str:
    """Functions that call the next one."""
    count = max(1, size // 10)
    parts = ["shader: MESA_SHADER_KERNEL\nsubgroup_size: 0\ndecl_function main () (entrypoint)\n"]
    parts += [f"decl_function f{number} ()\n" for number in range(count)]
    for number in range(-1, count):
        name = "main" if number < 0 else f"f{number}"
        call = f"                call f{number + 1} ()\n" if number + 1 < count else ""
        parts.append(
            f"\nimpl {name} {{\n    block b0:  // preds:\n    {_CONSTANT}\n{call}"
            "               // succs: b1\n    block b1:\n}\n"
        )
    return "".join(parts)


def registers(size: int) -> str:
    """Registers, each written and read."""
    lines = [_input(1)]
    value = 2
    for _ in range(size // 3):
        lines += [
            f"32    %{value} = decl_reg () (num_components=1, bit_size=32, num_array_elems=0, divergent=1)",
            f"           @store_reg (%1, %{value}) (base=0, wrmask=x, legacy_fsat=0)",
            f"32    %{value + 1} = @load_reg (%{value}) (base=0, legacy_fabs=0, legacy_fneg=0)",
        ]
        value += 2
    return _dump(lines, value=value - 1)


def buffers(size: int) -> str:
    """Loads and stores of buffers at different offsets."""
    lines = [_input(1)]
    value = 2
    for number in range(size // 3):
        lines += [
            f"32    %{value} = load_const ({number * 4:#010x})",
            f"32    %{value + 1} = @load_ssbo (%0, %{value}) (access=none, align_mul=4, align_offset=0)",
            f"           @store_ssbo (%{value + 1}, %0, %{value}) (wrmask=x, access=none,"
            " align_mul=4, align_offset=0)",
        ]
        value += 2
    return _dump(lines, value=value - 1)


def log_text(size: int) -> str:
    """A log with hardly any NIR: assembly, JSON and stack traces."""
    line = "   v_add_f32 v0, v1, v2 ; 060002FF 00000000 {\n"
    return line * (size * 4) + vertex_dump(20) + "[RADV] block: b0 shader\n" * (size * 4)


Shape = Callable[[int], str]
"""Makes a text of about so many lines."""

SHAPES: Final[tuple[Shape, ...]] = (
    one_block,
    many_blocks,
    nested_ifs,
    nested_loops,
    many_dumps,
    many_pipelines,
    many_snapshots,
    many_consumers,
    shared_value,
    shared_constant,
    long_lines,
    blanks,
    blank_lines,
    many_variables,
    many_slots,
    many_accesses,
    large_numbers,
    broken_lines,
    brackets,
    many_functions,
    registers,
    buffers,
    log_text,
)
"""The shapes. The size is about the number of lines; each shape grows linearly with it in bytes."""
