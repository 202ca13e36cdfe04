from __future__ import annotations

from nirls.ir.text.parse import parse_dump
from nirls.verification.compare.subject import Subject, counted_lanes
from nirls.verification.evaluate.state.options import RunOptions
from nirls.verification.evaluate.surroundings.environment import Environment
from nirls.verification.inputs.inputs_asked import inputs_asked
from nirls.verification.inputs.recorded import Recorded, recorder
from tests.passes.shader_text import ZERO, load, store

TEXT = f"""shader: MESA_SHADER_FRAGMENT
decl_var uniform INTERP_MODE_NONE none vec4[2] lights (0, 0, 0)
decl_function main () (entrypoint)

impl main {{
    block b0:  // preds:
    {ZERO}
    {load(1, "VAR0", 2)}
    32    %2 = deref_var &lights (uniform vec4[2])
    32    %3 = deref_array &(*%2)[1] (uniform vec4)
    32x4  %4 = @load_deref (%3) (access=none)
    32    %5 = fadd %1, %4.y
    {store("VAR0", "%5").replace("VARYING_SLOT_VAR0", "FRAG_RESULT_DATA0")}
    // succs: b1
    block b1:
}}
"""


def test_questions_have_names_and_answers() -> None:
    shader = parse_dump(TEXT.encode())
    assert not shader.unreadable
    subject = Subject([shader])
    recorded: list[Recorded] = []
    options = RunOptions(at_end=recorder(subject.machines, recorded))
    outcome = subject.run(Environment(1, special=0.0), 8, options)
    first, second = inputs_asked(recorded[0], 3)
    assert first.name == "%1 load_input VARYING_SLOT_VAR0.z"
    assert first.value.startswith("0x")
    assert " = " in first.value
    assert second.name == "%4 load_deref lights[1]"
    assert second.value.count("0x") == 4
    assert counted_lanes(outcome, outcome) == 8
    assert outcome.differences(outcome, float_tolerance=False) == []
