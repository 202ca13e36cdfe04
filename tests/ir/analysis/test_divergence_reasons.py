"""Sentences on why a value is divergent, from the value down to the root cause."""

from __future__ import annotations

from nirls.ir.analysis.divergence_options import DivergenceOptions
from nirls.ir.analysis.divergence_reasons import Explainer
from nirls.ir.analysis.divergence_walk import BodyDivergence
from nirls.ir.model.shader import Dialect, Shader
from nirls.ir.model.values import Def
from tests.passes.expectation import parse_body

BODY = """
block b0:
32 %0 = @load_sample_id
32 %1 = load_const (0x00000003)
32 %2 = ineg %0
32 %3 = iadd %2, %0
1  %4 = ieq %3, %1
if %4 {
    block b1:
    32 %5 = ineg %1
} else {
    block b2:
    32 %6 = inot %1
}
block b3:
32 %7 = phi b1: %5, b2: %6
32 %8 = iadd %1, %1
block b4:
"""


def explainer(text: str = BODY, dialect: Dialect = Dialect.MODERN) -> tuple[Explainer, dict[int, Def]]:
    shader: Shader = parse_body(text, valid=False)
    shader.dialect = dialect
    (impl,) = shader.impls()
    body = BodyDivergence(impl, shader.stage, DivergenceOptions())
    return Explainer(body, shader), {value.index: value for value in impl.defs()}


def test_a_chain_ends_at_what_differs_by_itself() -> None:
    explain, values = explainer()
    chain = explain.shortest_chain(values[2])
    assert [reason.value for reason in chain] == [values[2], values[0]]
    assert chain[0].sentence.startswith("%2")
    assert "load_sample_id" in chain[-1].sentence


def test_every_direct_cause_has_a_chain_and_the_shortest_is_first() -> None:
    explain, values = explainer()
    assert [len(chain) for chain in explain.chains(values[3])] == [2, 3]
    assert explain.shortest_chain(values[3]) == explain.chains(values[3])[0]


def test_a_phi_of_convergent_values_goes_by_the_condition_of_its_if() -> None:
    explain, values = explainer()
    chain = explain.shortest_chain(values[7])
    assert values[4] in [reason.value for reason in chain]
    assert chain[-1].value is values[0]


def test_a_convergent_value_has_no_chain_but_a_sentence() -> None:
    explain, values = explainer()
    assert explain.shortest_chain(values[8]) == []
    assert explain.why_convergent(values[8])
    assert explain.why_convergent(values[7]) == ""


def test_names_are_those_of_the_dialect() -> None:
    explain, values = explainer(dialect=Dialect.CLASSIC)
    sentence = explain.shortest_chain(values[2])[0].sentence
    assert "ssa_2" in sentence
    assert "%" not in sentence
