"""Copies of expressions from one shader to another."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import pytest

from nirls.ir.model.builder import Builder
from nirls.ir.model.instructions import AluInstr, Instr
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import Def
from nirls.ir.text.edits import print_shader
from nirls.ir.validation import validate
from nirls.passes.varyings.interface.link_options import LinkOptions
from nirls.passes.varyings.interface.uniform_variables import UniformVariables
from nirls.passes.varyings.values.transfer import copy_value, flush_infinities, is_scalar_alu
from tests.passes.shader_text import load
from tests.passes.varyings.pairs import fragment, vertex


def value(shader: Shader, index: int) -> Def:
    for impl in shader.impls():
        for instr in impl.instrs():
            if instr.def_ is not None and instr.def_.index == index:
                return instr.def_
    raise LookupError(index)


def end_of(shader: Shader) -> Builder:
    impl = shader.entrypoint
    assert impl is not None
    return Builder(impl, impl.start_block)


def copied(
    producer: Shader,
    number: int,
    consumer: Shader,
    index: int | None = None,
    lanes: Mapping[tuple[Def, int], Def] = MappingProxyType({}),
) -> Def:
    variables = UniformVariables(producer, consumer, LinkOptions())
    made = copy_value(value(producer, number), end_of(consumer), consumer, variables, {}, index, lanes)
    assert [str(problem) for problem in validate(consumer) if problem.severity == "error"] == []
    return made


def instrs(shader: Shader) -> list[Instr]:
    return [instr for impl in shader.impls() for instr in impl.instrs()]


def test_expression_comes_with_all_that_it_is_made_of() -> None:
    producer = vertex("32    %20 = fmul %9.x, %9.y", "32    %21 = fadd! %20, %1 (1.000000)")
    consumer = fragment()
    before, text = len(instrs(consumer)), print_shader(producer)
    made = copied(producer, 21, consumer)
    assert isinstance(made.instr, AluInstr)
    assert (made.instr.op, made.instr.flags) == ("fadd", frozenset({"exact"}))
    # The constant, the deref, the load, the product and the sum.
    assert len(instrs(consumer)) == before + 5
    assert print_shader(producer) == text


def test_variable_is_declared_where_it_is_not_known() -> None:
    producer, consumer = vertex("32    %20 = mov %9.x"), fragment()
    copied(producer, 20, consumer)
    copied(producer, 20, consumer)
    assert [variable.name for variable in consumer.variables] == ["u"]


def test_copy_gets_the_number_that_is_asked_for() -> None:
    producer, consumer = vertex("32    %20 = mov %9.x"), fragment()
    assert copied(producer, 20, consumer, index=77).index == 77
    fresh = copied(producer, 20, consumer)
    numbers = [instr.def_.index for instr in instrs(consumer) if instr.def_ is not None]
    assert fresh.index in numbers
    assert len(numbers) == len(set(numbers))


def test_value_that_is_known_is_not_copied() -> None:
    producer = vertex("32    %20 = fadd %10, %10")
    consumer = fragment(load(4, "VAR0"))
    loaded = value(consumer, 4)
    before = len(instrs(consumer))
    variables = UniformVariables(producer, consumer, LinkOptions())
    known = {value(producer, 10): loaded}
    made = copy_value(value(producer, 20), end_of(consumer), consumer, variables, known)
    assert len(instrs(consumer)) == before + 1
    assert made.instr is not None
    assert [src.def_ for src in made.instr.srcs()] == [loaded, loaded]
    assert copy_value(value(producer, 10), end_of(consumer), consumer, variables, known) is loaded


def test_component_that_is_known_is_read_as_a_scalar() -> None:
    attribute = (
        "32x3  %30 = @load_input (%0 (0x0)) (base=0, range=1, component=0, dest_type=float32,"
        " io location=VERT_ATTRIB_GENERIC1 slots=1)"
    )
    producer = vertex(attribute, "32    %20 = fadd %30.y, %30.z", "32    %21 = fsin %20")
    consumer = fragment(load(4, "VAR0"), load(5, "VAR1"))
    vector = value(producer, 30)
    lanes = {(vector, 1): value(consumer, 4), (vector, 2): value(consumer, 5)}
    uses = len(vector.uses)
    made = copied(producer, 21, consumer, lanes=lanes)
    assert made.instr is not None
    (total,) = (src.def_ for src in made.instr.srcs())
    assert total is not None
    assert isinstance(total.instr, AluInstr)
    assert [(src.def_, src.swizzle) for src in total.instr.sources] == [
        (value(consumer, 4), (0,)),
        (value(consumer, 5), (0,)),
    ]
    assert len(vector.uses) == uses, "nothing of the other shader is read"


def test_what_is_used_twice_is_copied_once() -> None:
    producer = vertex("32    %20 = fsin %9.x", "32    %21 = fmul %20, %20", "32    %22 = fadd %21, %20")
    consumer = fragment()
    copied(producer, 22, consumer)
    assert [instr.op for instr in instrs(consumer) if isinstance(instr, AluInstr)] == ["fsin", "fmul", "fadd"]


def test_long_expressions_do_not_recurse() -> None:
    lines = ["32    %100 = fadd %9.x, %9.y"]
    lines += [f"32    %{100 + step} = fadd %{99 + step}, %9.x" for step in range(1, 3000)]
    producer, consumer = vertex(*lines), fragment()
    copied(producer, 3099, consumer)
    assert sum(isinstance(instr, AluInstr) for instr in instrs(consumer)) == 3000


def test_infinities_become_nan_exactly() -> None:
    consumer = fragment(load(4, "VAR0"))
    made = flush_infinities(value(consumer, 4), end_of(consumer), 50)
    assert made.index == 50
    assert isinstance(made.instr, AluInstr)
    assert (made.instr.op, made.instr.flags) == ("ffma", frozenset({"exact"}))


@pytest.mark.parametrize(("index", "scalar"), [(1, False), (10, False), (20, True)])
def test_kinds_of_values(index: int, scalar: bool) -> None:
    found = value(vertex("32    %20 = fsin %10"), index)
    assert found.instr is not None
    assert is_scalar_alu(found.instr) == scalar
