from __future__ import annotations

from nirls.ir.text.parse import parse_dump
from tests.ir.mesa_test.building import lines_of, reasons_of

HEAD = "shader: MESA_SHADER_FRAGMENT\ndecl_function main () (entrypoint)\n\nimpl main {\n"


def built(body: str) -> list[str]:
    parsed = parse_dump(f"{HEAD}{body}}}\n".encode())
    assert not parsed.unreadable
    return lines_of(parsed)


def test_an_if_with_a_phi() -> None:
    lines = built(
        """\
    block b0:  // preds:
    1     %0 = load_const (true)
    32    %1 = load_const (0x00000001)
               // succs: b1 b2
    if %0 (true) {  // flatten
        block b1:  // preds: b0
        32    %2 = ineg %1 (0x1)
                   // succs: b3
    } else {
        block b2:  // preds: b0, succs: b3
    }
    block b3:  // preds: b1 b2
    32    %3 = phi b1: %2, b2: %1 (0x1)
               // succs: b4
    block b4:
""".replace("if %0 (true) {  // flatten", "if %0 (true)  // flatten {")
    )
    assert lines[2:] == [
        "nir_if *if_0 = nir_push_if(b, ssa_0);",
        "if_0->control = nir_selection_control_flatten;",
        "nir_def *ssa_2 = nir_ineg(b, ssa_1);",
        "nir_pop_if(b, NULL);",
        "nir_def *ssa_3 = nir_if_phi(b, ssa_2, ssa_1);",
    ]


def test_phis_of_a_loop_are_inserted_last() -> None:
    lines = built("""\
    block b0:  // preds:
    32    %0 = load_const (0x00000001)
               // succs: b1
    loop {
        block b1:  // preds: b0 b4
        32    %1 = phi b0: %0 (0x1), b4: %3
        1     %2 = ieq %1, %0 (0x1)
                   // succs: b2 b3
        if %2 {
            block b2:// preds: b1
            break
            // succs: b5
        } else {
            block b3:  // preds: b1, succs: b4
        }
        block b4:  // preds: b3
        32    %3 = iadd %1, %0 (0x1)
                   // succs: b1
    }
    block b5:  // preds: b2, succs: b6
    block b6:
""")
    assert lines == [
        "nir_def *ssa_0 = nir_imm_int(b, 1);",
        "nir_loop *loop_0 = nir_push_loop(b);",
        "nir_phi_instr *phi_1 = nir_phi_instr_create(b->shader);",
        "nir_def_init(&phi_1->instr, &phi_1->def, 1, 32);",
        "nir_def *ssa_1 = &phi_1->def;",
        "nir_def *ssa_2 = nir_ieq(b, ssa_1, ssa_0);",
        "nir_push_if(b, ssa_2);",
        "nir_jump(b, nir_jump_break);",
        "nir_pop_if(b, NULL);",
        "nir_def *ssa_3 = nir_iadd(b, ssa_1, ssa_0);",
        "nir_pop_loop(b, NULL);",
        "nir_phi_instr_add_src(phi_1, nir_start_block(b->impl), ssa_0);",
        "nir_phi_instr_add_src(phi_1, nir_loop_last_block(loop_0), ssa_3);",
        "nir_instr_insert(nir_after_phis(nir_loop_first_block(loop_0)), &phi_1->instr);",
    ]


def test_other_functions_are_declared_with_their_parameters_and_called() -> None:
    parsed = parse_dump(b"""shader: MESA_SHADER_FRAGMENT
decl_function helper (32 return, 32x4 color) (noinline)

impl helper {
    block b0:  // preds:
    32    %0 = @load_param (param_idx=0)
               // succs: b1
    block b1:
}

decl_function main () (entrypoint)

impl main {
    block b0:  // preds:
    32    %0 = load_const (0x00000001)
    32x4  %1 = load_const (0x0, 0x0, 0x0, 0x0)
               call helper %0 (0x1), color %1 (0x0, 0x0, 0x0, 0x0)
               // succs: b1
    block b1:
}
""")
    assert lines_of(parsed) == [
        'nir_function *helper = nir_function_create(b->shader, "helper");',
        "helper->num_params = 2;",
        "helper->params = rzalloc_array(b->shader, nir_parameter, 2);",
        "helper->params[0].num_components = 1;",
        "helper->params[0].bit_size = 32;",
        "helper->params[0].is_return = true;",
        "helper->params[1].num_components = 4;",
        "helper->params[1].bit_size = 32;",
        'helper->params[1].name = "color";',
        "helper->dont_inline = true;",
        "exec_node_remove(&b->impl->function->node);",
        "exec_list_push_tail(&b->shader->functions, &b->impl->function->node);",
        "{",
        "nir_builder builder_of_helper =",
        "nir_builder_at(nir_before_impl(nir_function_impl_create(helper)));",
        "nir_builder *b = &builder_of_helper;",
        "nir_def *ssa_0 = nir_build_load_param(b, 1, 32);",
        "}",
        "nir_def *ssa_0 = nir_imm_int(b, 1);",
        "nir_def *ssa_1 = nir_imm_ivec4(b, 0, 0, 0, 0);",
        "nir_call(b, helper, ssa_0, ssa_1);",
    ]


def test_an_indirect_call() -> None:
    parsed = parse_dump(b"""shader: MESA_SHADER_FRAGMENT
decl_function any (32 value)

decl_function main () (entrypoint)

impl main {
    block b0:  // preds:
    32    %0 = load_const (0x00000001)
               call any (indirect %0 (0x1)) value %0 (0x1)
               // succs: b1
    block b1:
}
""")
    assert lines_of(parsed)[-2:] == [
        "nir_def *any_arguments[] = {ssa_0};",
        "nir_build_indirect_call(b, any, ssa_0, 1, any_arguments);",
    ]


def test_what_has_no_structure_is_named() -> None:
    assert reasons_of("32  %0 = fneg %7") == ["a value of main that is defined nowhere"]
