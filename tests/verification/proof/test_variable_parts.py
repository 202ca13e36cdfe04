"""Parts of variables that derefs lead to, and cells below them."""

from __future__ import annotations

from nirls.ir.model.instructions import DerefInstr
from nirls.ir.model.values import Def
from nirls.verification.proof.variable_parts import (
    Cell,
    VariablePart,
    Wildcard,
    elements,
    has_known_cells,
    part_at,
)
from tests.verification.proof.forwarding_shaders import INDEX, A, straight


def array_deref(number: int, above: int, index: str, type_name: str = "vec4") -> str:
    return f"32 %{number} = deref_array &(*%{above})[{index}] (function_temp {type_name})"


def parts(*lines: str) -> dict[int, VariablePart | None]:
    """The parts that derefs lead to, by number; %13 is the array `vec4[2] a`."""
    found: dict[Def, VariablePart | None] = {}
    for instr in straight(A, *lines).instrs():
        if isinstance(instr, DerefInstr) and instr.def_ is not None:
            above = None if instr.parent is None else instr.parent.ssa
            found[instr.def_] = part_at(instr, None if above is None else found.get(above))
    return {value.index: part for value, part in found.items()}


def test_elements_and_components_lead_on() -> None:
    found = parts(array_deref(20, 13, "1"), array_deref(21, 20, "2", "float"))
    array, vector, scalar = (found[number] for number in (13, 20, 21))
    assert array is not None
    assert vector is not None
    assert (array.path, array.type_name, vector.path) == ((), "vec4[2]", (1,))
    assert scalar == VariablePart(array.variable, (1,), "vec4", 2)
    assert list(elements(array))[1] == vector


def test_indices_and_wildcards() -> None:
    found = parts(INDEX, array_deref(20, 13, "%6"), array_deref(21, 13, "*"))
    indexed, every = found[20], found[21]
    assert indexed is not None
    assert every is not None
    assert indexed.has_variable_index
    assert not every.has_variable_index
    assert every.wildcards == [Wildcard(2)]


def test_an_index_out_of_bounds_and_another_type_lead_nowhere() -> None:
    found = parts(array_deref(20, 13, "2"), array_deref(21, 13, "1", "vec2"))
    assert found[20] is found[21] is None


def test_cells_keep_their_place_below_another_part() -> None:
    array = parts()[13]
    assert array is not None
    first, second = elements(array)
    cell = Cell(array.variable, (0,), 3, 32)
    assert cell.moved(first, second) == Cell(array.variable, (1,), 3, 32)
    assert cell.moved(second, first) is None
    every = array.further(Wildcard(2), "vec4")
    assert cell.moved(every, every) == cell


def test_structs_have_no_known_cells() -> None:
    assert has_known_cells("vec4[2][3]")
    assert not has_known_cells("S[2]")
