"""Dumps and logs of any size, in the form of real ones, for measurements."""

from __future__ import annotations

from collections.abc import Sequence

LIVE_SLOTS = 4
_DEAD_SLOT = 31
_OPERATIONS = ("fadd", "fmul", "fmax", "fsub")
_HEADER = "next_stage: MESA_SHADER_VERTEX\nsubgroup_size: 0\n"


def vertex_dump(instructions: int, seed: int = 0) -> str:
    """A vertex shader of about so many instructions; `fragment_dump` does not read its last output."""
    lines = ["32    %0 = load_const (0x00000000 = 0.000000)"]
    lines += [
        f"32    %{number} = @load_input (%0 (0x0)) (base=0, range=0, component={number - 1},"
        " dest_type=float32, io location=VERT_ATTRIB_GENERIC0 slots=1)"
        for number in range(1, 5)
    ]
    last = _arithmetic(lines, 5, instructions - LIVE_SLOTS - 6, seed)
    lines += [store(f"VARYING_SLOT_VAR{slot}", last - slot) for slot in range(LIVE_SLOTS)]
    lines.append(store(f"VARYING_SLOT_VAR{_DEAD_SLOT}", last))
    return dump("VERTEX", lines, _HEADER)


def fragment_dump(instructions: int, seed: int = 0) -> str:
    """A fragment shader of about so many instructions that reads what `vertex_dump` writes, but for one."""
    lines = [
        "32    %0 = load_const (0x00000000 = 0.000000)",
        "32x2  %5 = @load_barycentric_pixel (interp_mode=INTERP_MODE_SMOOTH)",
    ]
    lines += [
        f"32    %{slot + 1} = @load_interpolated_input (%5, %0 (0x0)) (base=0, component=0,"
        f" dest_type=float32, io location=VARYING_SLOT_VAR{slot} slots=1)"
        for slot in range(LIVE_SLOTS)
    ]
    last = _arithmetic(lines, 6, instructions - 7, seed)
    lines.append(store("FRAG_RESULT_DATA0", last))
    return dump("FRAGMENT", lines, _HEADER)


def log_of_lines(lines: int, instructions: int) -> str:
    """A log of pairs of stages with words between them, of about so many lines; no two dumps are the same."""
    parts: list[str] = []
    count = 0
    while count < lines:
        size = max(20, min(instructions, (lines - count) // 2 - 20))
        seed = len(parts)
        pair = f"nir_opt_algebraic\n{vertex_dump(size, seed)}\nnir_opt_dce\n{fragment_dump(size, seed)}\n"
        parts.append(pair)
        count += pair.count("\n")
    return "".join(parts)


def _arithmetic(lines: list[str], first: int, count: int, seed: int) -> int:
    """Instructions that each use the ones before; returns the number of the last value."""
    # No two seeds below 4 ** 8 make the same text.
    operations = [_OPERATIONS[seed >> 2 * place & 3] for place in range(8)] + list(_OPERATIONS)
    number = first
    for number in range(first, first + max(count, LIVE_SLOTS)):
        other = number - 1 - number % 4
        earlier = number - 1 if number - 1 != 5 else 4
        lines.append(
            f"32    %{number} = {operations[number % 12]} %{earlier}, %{max(other, 1) if other != 5 else 4}"
        )
    return number


def store(location: str, value: int, slots: str = "slots=1") -> str:
    """A store of a value to the first component of a slot; %0 is 0."""
    return (
        f"           @store_output (%{value}, %0 (0x0)) (base=0, range=0, wrmask=x, component=0,"
        f" src_type=float32, io location={location} {slots}, xfb(), xfb2())"
    )


def dump(stage: str, lines: Sequence[str], header: str = "subgroup_size: 0\n", end_block: int = 1) -> str:
    """A dump whose main function has these lines from its first block to the end block."""
    body = "".join(f"    {line}\n" for line in lines)
    return (
        f"shader: MESA_SHADER_{stage}\n{header}decl_function main () (entrypoint)\n\n"
        f"impl main {{\n    block b0:  // preds:\n{body}"
        f"               // succs: b{end_block}\n    block b{end_block}:\n}}\n"
    )
