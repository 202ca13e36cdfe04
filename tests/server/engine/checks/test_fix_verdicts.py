from __future__ import annotations

import logging
import subprocess
import sys
from dataclasses import replace

import pytest

from nirls.ir.finding import FixRequest
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.instructions import AluInstr
from nirls.ir.model.shader import Shader
from nirls.passes.declaration import Change
from nirls.server.engine.checks.fix_verdicts import FixVerdicts, judged
from nirls.verification.verdict import Different, Equivalent
from tests.passes.shader_text import ZERO, load, shader, store, use

MINE = FixRequest("mine", "some-code")
ATTRIBUTES = tuple(load(n, "POS", n - 1).replace("VARYING_SLOT", "VERT_ATTRIB") for n in (1, 2))
STRANGE = "32 %4 = @no_such_intrinsic"


@pytest.fixture
def vertex() -> Shader:
    return shader("VERTEX", ZERO, *ATTRIBUTES, "32 %3 = fsub %1, %2", store("VAR0", "%3"))


def swapped(before: Shader) -> Change:
    after = clone_shader(before)
    for impl in after.impls():
        for instr in impl.instrs():
            if isinstance(instr, AluInstr):
                instr.sources.reverse()
    return Change(before, after)


def allowed(verdicts: FixVerdicts, change: Change) -> bool:
    texts = (change.before.source,)
    verdicts.note(texts, MINE, judged([change.before], [change]))
    return not verdicts.is_refused(texts, MINE)


def test_a_right_fix_is_allowed(vertex: Shader) -> None:
    verdicts = FixVerdicts()
    assert allowed(verdicts, Change(vertex, clone_shader(vertex)))
    assert not verdicts.is_refused((vertex.source,), MINE)
    assert not verdicts.is_unchecked((vertex.source,), MINE)


def test_a_wrong_fix_is_refused_with_the_counterexample_in_the_log(
    vertex: Shader, caplog: pytest.LogCaptureFixture
) -> None:
    verdicts = FixVerdicts()
    with caplog.at_level(logging.INFO):
        assert not allowed(verdicts, swapped(vertex))
    assert verdicts.is_refused((vertex.source,), MINE)
    assert f"{MINE} is not offered: different: VARYING_SLOT_VAR0.x" in caplog.text
    assert [record.levelname for record in caplog.records] == ["ERROR"]
    verdicts.clear()
    assert not verdicts.is_refused((vertex.source,), MINE)


def test_a_wrong_fix_of_a_broken_dump_is_refused_but_no_error_of_ours(
    caplog: pytest.LogCaptureFixture,
) -> None:
    twice = shader(
        "VERTEX", ZERO, *ATTRIBUTES, "32 %3 = fsub %1, %2", "32 %3 = fsub %1, %2", store("VAR0", "%3")
    )
    with caplog.at_level(logging.INFO):
        assert not allowed(FixVerdicts(), swapped(twice))
    assert [record.levelname for record in caplog.records] == ["INFO"]


def test_what_is_known_is_known_for_those_texts_and_that_fix(vertex: Shader) -> None:
    verdicts = FixVerdicts()
    assert not verdicts.has((vertex.source,), MINE)
    assert allowed(verdicts, Change(vertex, clone_shader(vertex)))
    assert verdicts.has((vertex.source,), MINE)
    assert not verdicts.has((b"others",), MINE)
    assert not verdicts.has((vertex.source,), replace(MINE, part="other"))


def test_a_fix_that_cannot_be_checked_is_allowed_and_known(caplog: pytest.LogCaptureFixture) -> None:
    strange = shader("FRAGMENT", ZERO, load(1, "VAR0"), STRANGE, "32 %5 = fsub %1, %4", use("%5"))
    verdicts = FixVerdicts()
    with caplog.at_level(logging.INFO):
        assert allowed(verdicts, swapped(strange))
    assert verdicts.is_unchecked((strange.source,), MINE)
    assert "no_such_intrinsic" in caplog.text


def test_a_change_of_one_stage_is_judged_with_the_others() -> None:
    producer = shader("VERTEX", ZERO, *ATTRIBUTES, store("VAR0", "%1"), store("VAR1", "%2"))
    consumer = shader(
        "FRAGMENT",
        ZERO,
        load(1, "VAR0"),
        store("VAR0", "%1").replace("VARYING_SLOT_VAR0", "FRAG_RESULT_DATA0"),
    )
    without = clone_shader(producer)
    stores = [one for impl in without.impls() for one in impl.instrs() if one.def_ is None]
    stores[1].remove()
    change = Change(producer, without)
    assert isinstance(judged([producer], [change]), Different)
    assert isinstance(judged([producer, consumer], [change]), Equivalent)


def test_asking_for_an_unknown_verdict_imports_no_evaluator() -> None:
    """Code actions do so on the event loop."""
    script = (
        "import sys; from nirls.ir.finding import FixRequest\n"
        "from nirls.server.engine.checks.fix_verdicts import FixVerdicts\n"
        "verdicts, fix = FixVerdicts(), ((b'',), FixRequest('opt_dce', 'code'))\n"
        "assert not verdicts.is_refused(*fix) and not verdicts.is_unchecked(*fix)\n"
        "assert verdicts.tried(*fix) is None\n"
        "assert not any(name.startswith(('nirls.verification.evaluate', 'numpy')) for name in sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
