from __future__ import annotations

from nirls.ir.model.shader import Shader
from nirls.ir.model.stage import Stage
from nirls.verification.proof.context import Context
from nirls.verification.proof.same_expressions import same_expressions
from tests.verification.proof.forwarding_shaders import parsed, result, straight


def test_functions_that_nothing_calls_do_not_matter() -> None:
    def with_function(extra: str, *, called: bool) -> Shader:
        start = "    block b0:  // preds:\n    32 %0 = load_const (0x00000001)\n"
        body = f"{start}    // succs: b1\n    block b1:\n}}\n"
        call = "    call helper\n" if called else ""
        return parsed(
            f"shader: MESA_SHADER_COMPUTE\ndecl_function helper ()\ndecl_function main () (entrypoint)\n\n"
            f"impl helper {{\n{body.replace('    // succs', extra + '    // succs')}\n"
            f"impl main {{\n{body.replace('    // succs', call + '    // succs')}"
        )

    demote = "    @demote\n"
    assert same_expressions(with_function(demote, called=False), with_function("", called=False))
    assert not same_expressions(with_function(demote, called=True), with_function("", called=True))
    assert same_expressions(with_function(demote, called=True), with_function(demote, called=True))


def test_a_shader_is_compared_with_a_copy_of_itself() -> None:
    shader = straight(*result("%4"))
    context = Context.of(shader, shader, new_outputs_count=True)
    assert context is not None
    assert context.sides[0].shader is not context.sides[1].shader
    assert context.is_alone
    assert context.stage is Stage.VERTEX


def test_shaders_of_other_stages_have_no_context() -> None:
    shader = straight(*result("%4"))
    other = straight(*result("%4"), stage="GEOMETRY")
    assert Context.of(shader, other, new_outputs_count=True) is None
