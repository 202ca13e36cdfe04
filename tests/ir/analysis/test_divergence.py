from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from nirls.ir.analysis.divergence import (
    DivergenceInfo,
    DivergenceOptions,
    Release,
    agreement,
    divergence,
    patch_divergence,
    vertex_divergence,
)
from nirls.ir.model.control_flow import Loop
from nirls.ir.model.instructions import Instr
from nirls.ir.model.shader import Shader
from nirls.ir.model.values import Def
from nirls.ir.text.parse import parse_dump, parse_shaders

OLD_RULES = DivergenceOptions(release=Release.MESA_22_3)


def read(body: str, stage: str = "FRAGMENT", declarations: str = "") -> Shader:
    """A modern dump with that body."""
    text = f"shader: MESA_SHADER_{stage}\n{declarations}decl_function main () (entrypoint)\n\nimpl main {{\n"
    shader = parse_dump((text + textwrap.indent(textwrap.dedent(body), "    ") + "}\n").encode())
    assert not shader.unreadable, shader.unreadable
    return shader


def values(shader: Shader) -> dict[int, Def]:
    return {value.index: value for impl in shader.impls() for value in impl.defs()}


def divergent_numbers(info: DivergenceInfo) -> set[int]:
    return {value.index for value in info.divergent_values()}


# -- Agreement with Mesa


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("pattern", "vertex", "at_least"),
    [
        ("modern/*.div.nir", False, 14_000),
        ("modern/*.vdiv.nir", True, 5_000),
        ("classic/*.div.nir", False, 13_000),
    ],
)
def test_corpus_agrees_with_what_mesa_printed(
    corpus: Path, pattern: str, vertex: bool, at_least: int
) -> None:
    checked = 0
    differing = []
    for path in sorted(corpus.glob(f"pipelines/*/{pattern}")):
        for shader in parse_shaders(path.read_bytes()):
            result = agreement(shader, vertex=vertex)
            checked += result.values
            differing += [(path, difference) for difference in result.differing_values]
            differing += [(path, difference) for difference in result.differing_flags]
    assert checked >= at_least
    assert differing == []


@pytest.mark.sweep
def test_corpus_has_a_reason_for_every_value(corpus: Path) -> None:
    for path in sorted(corpus.glob("pipelines/hand_*/*/*.div.nir")):
        for shader in parse_shaders(path.read_bytes()):
            info = divergence(shader)
            for value in values(shader).values():
                if info.is_divergent(value):
                    chain = info.reasons(value)
                    assert chain[0].value is value
                    assert info.why_convergent(value) == ""
                    assert [reason.subject for reason in chain] == list(
                        dict.fromkeys(reason.subject for reason in chain)
                    )
                else:
                    assert info.reasons(value) == []
                    assert info.why_convergent(value)


def test_agreement_counts_what_differs() -> None:
    shader = read("""
        con block b0:  // preds:
        con 32  %0 = load_const (0x00000001)
        con 32  %1 = @load_sample_id
                // succs: b1
        block b1:
    """)
    result = agreement(shader)
    assert (result.values, result.values_equal) == (2, 1)
    assert [value.index for value in result.differing_values] == [1]
    assert (result.flags, result.flags_equal) == (1, 1)


def test_constants_made_after_the_analysis_do_not_count() -> None:
    """Mesa marks each new def divergent; that is no result of an analysis."""
    shader = read("""
        con block b0:  // preds:
        div 32  %0 = load_const (0x00000001)
        div 32  %1 = undefined
        div 32  %2 = @load_sample_id
                // succs: b1
        block b1:
    """)
    result = agreement(shader)
    assert (result.values, result.values_equal) == (1, 1)


# -- Rules of instructions


@pytest.mark.parametrize(
    ("line", "stage", "is_divergent"),
    [
        (
            "32 %9 = @load_push_constant (%0) (base=0, range=4, align_mul=4, align_offset=0)",
            "FRAGMENT",
            False,
        ),
        ("32 %9 = @load_sample_id", "FRAGMENT", True),
        ("32 %9 = @load_no_such_thing", "FRAGMENT", True),
        ("32 %9 = @deref_atomic_add (%0, %0) (access=none)", "COMPUTE", True),
        ("32x3 %9 = @load_work_group_id", "COMPUTE", False),
        ("32 %9 = @load_output (%0) (base=0)", "TASK", False),
        ("32 %9 = @load_output (%0) (base=0)", "FRAGMENT", True),
        ("32 %9 = @load_ubo (%1, %0) (access=none)", "FRAGMENT", False),
        ("32 %9 = @load_ubo (%1, %0) (access=non-uniform)", "FRAGMENT", True),
        ("32 %9 = @load_ubo (%0, %1) (access=none)", "FRAGMENT", True),
        ("32 %9 = @shuffle (%1, %0)", "COMPUTE", False),
        ("32 %9 = @shuffle (%1, %1)", "COMPUTE", True),
        ("32 %9 = @reduce (%1) (reduction_op=iadd, cluster_size=0)", "COMPUTE", False),
        ("32 %9 = @reduce (%0) (reduction_op=iadd, cluster_size=4)", "COMPUTE", True),
        ("32 %9 = @reduce (%0) (reduction_op=imax, cluster_size=4)", "COMPUTE", False),
        ("32 %9 = @reduce (%1) (reduction_op=imax, cluster_size=4)", "COMPUTE", True),
        ("32x4 %9 = (float32)txl %1 (texture_handle), %0 (coord), %0 (lod)", "FRAGMENT", False),
        (
            "32x4 %9 = (float32)txl %1 (texture_handle), %0 (coord), %0 (lod), texture non-uniform",
            "FRAGMENT",
            True,
        ),
        ("32x4 %9 = (float32)txl %0 (texture_handle), %1 (coord), %0 (lod)", "FRAGMENT", True),
        ("32 %9 = undefined", "FRAGMENT", False),
        ("32 %9 = iadd %0, %0", "FRAGMENT", False),
        ("32 %9 = iadd %0, %1", "FRAGMENT", True),
        ("32 %9 = iadd %0, %77", "FRAGMENT", True),
        ("32 %9 = deref_cast (S *)%0 (ssbo S)  (ptr_stride=0, align_mul=0, align_offset=0)", "COMPUTE", True),
    ],
)
def test_single_instructions(line: str, stage: str, is_divergent: bool) -> None:
    shader = read(
        f"""
        block b0:  // preds:
        32  %0 = load_const (0x00000001)
        32  %1 = @load_local_invocation_index
        {line}
                // succs: b1
        block b1:
        """,
        stage,
    )
    value = values(shader)[9]
    info = divergence(shader)
    assert info.is_divergent(value) == is_divergent
    assert bool(info.reasons(value)) == is_divergent
    assert bool(info.why_convergent(value)) != is_divergent


@pytest.mark.parametrize(
    ("option", "stage", "line"),
    [
        ("single_prim_per_subgroup", "FRAGMENT", "1 %9 = @load_front_face"),
        ("single_prim_per_subgroup", "FRAGMENT", "32 %9 = @load_input (%0) (base=0, component=0)"),
        ("single_prim_per_subgroup", "FRAGMENT", "32 %9 = deref_var &flat (shader_in int)"),
        ("single_patch_per_tcs_subgroup", "TESS_CTRL", "32 %9 = @load_primitive_id"),
        ("single_patch_per_tes_subgroup", "TESS_EVAL", "32 %9 = @load_per_vertex_input (%0, %0) (base=0)"),
        ("view_index_uniform", "VERTEX", "32 %9 = @load_view_index"),
        ("single_frag_shading_rate_per_subgroup", "FRAGMENT", "32 %9 = @load_frag_shading_rate"),
        ("shader_record_ptr_uniform", "RAYGEN", "64 %9 = @load_shader_record_ptr"),
    ],
)
def test_option_makes_a_value_convergent(option: str, stage: str, line: str) -> None:
    shader = read(
        f"""
        block b0:  // preds:
        32  %0 = load_const (0x00000000)
        {line}
                // succs: b1
        block b1:
        """,
        stage,
        "decl_var shader_in INTERP_MODE_FLAT none int flat (VARYING_SLOT_VAR0.x, 0, 0)\n",
    )
    value = values(shader)[9]
    assert divergence(shader).is_divergent(value)
    assert not divergence(shader, DivergenceOptions(**{option: True})).is_divergent(value)


@pytest.mark.parametrize(
    ("option", "line"),
    [
        ("multiple_workgroup_per_compute_subgroup", "32x3 %9 = @load_workgroup_id"),
        ("uniform_load_tears", "32 %9 = @load_ssbo (%0, %0) (access=none)"),
        ("uniform_load_tears", "32 %9 = @load_shared (%0) (base=0)"),
    ],
)
def test_option_makes_a_value_divergent(option: str, line: str) -> None:
    shader = read(
        f"""
        block b0:  // preds:
        32  %0 = load_const (0x00000000)
        {line}
                // succs: b1
        block b1:
        """,
        "COMPUTE",
    )
    value = values(shader)[9]
    assert not divergence(shader).is_divergent(value)
    assert divergence(shader, DivergenceOptions(**{option: True})).is_divergent(value)


def test_readonly_loads_never_tear() -> None:
    shader = read(
        """
        block b0:  // preds:
        32  %0 = load_const (0x00000000)
        32  %1 = @load_ssbo (%0, %0) (access=readonly)
                // succs: b1
        block b1:
        """
    )
    assert divergent_numbers(divergence(shader, DivergenceOptions(uniform_load_tears=True))) == set()


def test_vertex_divergence_asks_for_the_vertices_of_a_primitive() -> None:
    shader = read(
        """
        block b0:  // preds:
        32  %0 = load_const (0x00000000)
        32  %1 = @load_instance_id
        32  %2 = @load_vertex_id
        32  %3 = @read_first_invocation (%1)
        32  %4 = deref_var &gl_InstanceID (system int)
                // succs: b1
        block b1:
        """,
        "VERTEX",
        "decl_var system INTERP_MODE_NONE none int gl_InstanceID (SYSTEM_VALUE_INSTANCE_ID)\n",
    )
    assert divergent_numbers(divergence(shader)) == {1, 2, 4}
    assert divergent_numbers(vertex_divergence(shader)) == {2, 3}
    assert "of one primitive" in vertex_divergence(shader).why_convergent(values(shader)[1])


def test_patch_inputs_are_the_same_for_the_vertices_of_a_patch_if_all_read_the_same() -> None:
    shader = read(
        """
        block b0:  // preds:
        32  %0 = @load_tess_coord
        32  %1 = @load_input (%0) (base=0, component=0)
        32  %2 = @load_primitive_id
        32  %3 = @load_input (%2) (base=0, component=0)
                // succs: b1
        block b1:
        """,
        "TESS_EVAL",
    )
    assert divergent_numbers(divergence(shader)) == {0, 1, 2, 3}
    assert divergent_numbers(vertex_divergence(shader)) == {0, 1}


# -- Control flow

IF = """
    block b0:  // preds:
    1   %0 = {condition}
    32  %1 = load_const (0x00000001)
    32  %2 = {other}
            // succs: b1 b2
    if %0 {{
        block b1:  // preds: b0, succs: b3
    }} else {{
        block b2:  // preds: b0, succs: b3
    }}
    block b3:  // preds: b1 b2
    32  %3 = phi b1: %1, b2: %2
            // succs: b4
    block b4:
"""


def test_phi_after_a_divergent_if_is_divergent() -> None:
    shader = read(IF.format(condition="@load_front_face", other="load_const (0x00000002)"))
    info = divergence(shader)
    assert divergent_numbers(info) == {0, 3}
    assert [info.is_block_divergent(block) for block in shader.impls().__next__().blocks()] == [
        False,
        True,
        True,
        False,
    ]
    chain = info.reasons(values(shader)[3])
    assert [reason.value.index for reason in chain if reason.value] == [3, 0]
    assert "the if on %0" in chain[0].sentence
    assert "@load_front_face" in chain[1].sentence


def test_phi_after_a_convergent_if_is_convergent() -> None:
    shader = read(IF.format(condition="load_const (true)", other="load_const (0x00000002)"))
    info = divergence(shader)
    assert divergent_numbers(info) == set()
    assert "same branch on %0" in info.why_convergent(values(shader)[3])


def test_undefined_phi_source_counts_unless_the_driver_or_the_old_rules_ignore_it() -> None:
    shader = read(IF.format(condition="@load_front_face", other="undefined"))
    assert divergent_numbers(divergence(shader)) == {0, 3}
    ignoring = divergence(shader, DivergenceOptions(ignore_undef_if_phi_srcs=True))
    assert divergent_numbers(ignoring) == {0}
    assert "Only one of its sources" in ignoring.why_convergent(values(shader)[3])
    assert divergent_numbers(divergence(shader, OLD_RULES)) == {0}


# %5 is the turn counter, %7 computed from nothing that the loop changes.
LOOP = """
    block b0:  // preds:
    32  %0 = load_const (0x00000001)
    32  %1 = {bound}
    32  %2 = @load_num_subgroups
            // succs: b1
    loop {{
        block b1:  // preds: b0 b3
        32  %5 = phi b0: %0, b3: %6
        32  %6 = iadd %5, %0
        32  %7 = iadd %2, %0
        1   %8 = ult %6, %1
                // succs: b2 b3
        if %8 {{
            block b2:// preds: b1
            {jump}
            // succs: {target}
        }} else {{
            block b3:  // preds: b1, succs: b1
        }}
        block b4:  // preds: , succs: b1
    }}
    block b5:  // preds: b2
    32  %9 = {first}
    32  %10 = {second}
            // succs: b6
    block b6:
"""


def loop_of(shader: Shader) -> Loop:
    return next(node for impl in shader.impls() for node in impl.cf_nodes() if isinstance(node, Loop))


def divergent_break(first: str, second: str) -> Shader:
    return read(LOOP.format(bound="@load_sample_id", jump="break", target="b5", first=first, second=second))


def test_what_leaves_a_loop_in_different_turns_is_divergent_in_a_phi() -> None:
    shader = divergent_break("phi b2: %6", "phi b2: %7")
    info = divergence(shader)
    assert divergent_numbers(info) == {1, 8, 9}
    assert info.has_divergent_break(loop_of(shader))
    assert not info.has_divergent_continue(loop_of(shader))
    sentences = [reason.sentence for reason in info.reasons(values(shader)[9])]
    assert "divergent break" in sentences[0]
    assert "break in b2" in sentences[1]
    assert "condition %8" in sentences[1]
    assert sentences[-1].startswith("%1:")
    assert "does not change" in info.why_convergent(values(shader)[10])


def test_what_leaves_a_loop_without_a_phi_is_divergent_for_that_use_only() -> None:
    shader = divergent_break("iadd %6, %0", "iadd %7, %0")
    info = divergence(shader)
    assert divergent_numbers(info) == {1, 8, 9}
    use_of_6, _ = values(shader)[9].instr.srcs()
    use_of_7, _ = values(shader)[10].instr.srcs()
    assert info.is_use_divergent(use_of_6)
    assert not info.is_use_divergent(use_of_7)
    assert not info.is_divergent(use_of_6.ssa)
    assert "comes out of the loop at b1" in info.reasons(values(shader)[9])[0].sentence


def test_old_rules_make_every_phi_behind_a_divergent_break_divergent() -> None:
    shader = divergent_break("phi b2: %6", "phi b2: %7")
    assert divergent_numbers(divergence(shader, OLD_RULES)) == {1, 8, 9, 10}


def test_values_leave_a_uniform_loop_as_they_are() -> None:
    shader = read(
        LOOP.format(
            bound="load_const (0x00000008)",
            jump="break",
            target="b5",
            first="iadd %6, %0",
            second="phi b2: %6",
        )
    )
    info = divergence(shader)
    assert divergent_numbers(info) == set()
    assert not info.is_loop_divergent(loop_of(shader))
    assert "same turn" in info.why_convergent(values(shader)[10])


CONTINUE = """
    block b0:  // preds:
    32  %0 = load_const (0x00000000)
    32  %1 = load_const (0x00000001)
    1   %2 = @load_front_face
    1   %3 = load_const (true)
            // succs: b1
    loop {
        block b1:  // preds: b0 b2 b6
        32  %4 = phi b0: %0, b2: %6, b6: %6
        32  %6 = iadd %4, %1
                // succs: b2 b3
        if %2 {
            block b2:// preds: b1
            continue
            // succs: b1
        } else {
            block b3:  // preds: b1, succs: b4
        }
        block b4:  // preds: b3, succs: b5 b6
        if %3 {
            block b5:// preds: b4
            break
            // succs: b7
        } else {
            block b6:  // preds: b4, succs: b1
        }
    }
    block b7:  // preds: b5
    32  %5 = phi b5: %4
            // succs: b8
    block b8:
"""


def test_divergent_continue_splits_what_follows_in_the_loop() -> None:
    shader = read(CONTINUE)
    info = divergence(shader)
    loop = loop_of(shader)
    assert info.has_divergent_continue(loop)
    # The break after it is reached only by those that did not continue.
    assert info.has_divergent_break(loop)
    blocks = {block.index: block for impl in shader.impls() for block in impl.blocks()}
    assert info.is_block_divergent(blocks[4])
    assert not info.is_block_divergent(blocks[7])
    left = info.reasons(values(shader)[5])
    assert "divergent break" in left[0].sentence
    assert "others went on to the next turn" in left[1].sentence
    assert "continue in b2" in left[2].sentence


def test_header_phi_of_different_values_after_a_divergent_continue() -> None:
    shader = read("""
        block b0:  // preds:
        32  %0 = load_const (0x00000000)
        32  %1 = load_const (0x00000001)
        1   %2 = @load_front_face
                // succs: b1
        loop {
            block b1:  // preds: b0 b2 b4
            32  %4 = phi b0: %0, b2: %0, b4: %1
            32  %5 = iadd %4, %0
                    // succs: b2 b3
            if %2 {
                block b2:// preds: b1
                continue
                // succs: b1
            } else {
                block b3:  // preds: b1, succs: b4
            }
            block b4:  // preds: b3, succs: b1
        }
        block b5:  // preds: , succs: b6
        block b6:
    """)
    info = divergence(shader)
    assert divergent_numbers(info) == {2, 4, 5}
    chain = info.reasons(values(shader)[5])
    assert [reason.value.index if reason.value else None for reason in chain] == [5, 4, None, 2]
    assert "divergent continue" in chain[1].sentence
    assert isinstance(chain[2].subject, Instr)


def test_reasons_of_a_cycle_end_at_its_cause_and_never_repeat() -> None:
    shader = read("""
        block b0:  // preds:
        32  %0 = @load_sample_id
        1   %1 = load_const (true)
                // succs: b1
        loop {
            block b1:  // preds: b0 b3
            32  %2 = phi b0: %0, b3: %3
            32  %3 = iadd %2, %2
                    // succs: b2 b3
            if %1 {
                block b2:// preds: b1
                break
                // succs: b4
            } else {
                block b3:  // preds: b1, succs: b1
            }
        }
        block b4:  // preds: b2, succs: b5
        block b5:
    """)
    info = divergence(shader)
    assert [reason.value.index for reason in info.reasons(values(shader)[3]) if reason.value] == [3, 2, 0]
    # The source that comes back from %3 explains nothing.
    assert len(info.all_reasons(values(shader)[2])) == 1


def test_shortest_chain_comes_first() -> None:
    shader = read("""
        block b0:  // preds:
        32  %0 = @load_sample_id
        32  %1 = ineg %0
        32  %2 = ineg %1
        32  %3 = iadd %2, %0
                // succs: b1
        block b1:
    """)
    info = divergence(shader)
    assert [len(chain) for chain in info.all_reasons(values(shader)[3])] == [2, 4]
    assert info.reasons(values(shader)[3]) == info.all_reasons(values(shader)[3])[0]


def test_reason_for_a_number_that_is_defined_nowhere() -> None:
    shader = read("""
        block b0:  // preds:
        32  %1 = ineg %7
                // succs: b1
        block b1:
    """)
    chain = divergence(shader).reasons(values(shader)[1])
    assert "%7 is defined nowhere" in chain[-1].sentence


# -- Other forms of NIR


def test_registers_of_the_old_dialect() -> None:
    shader = parse_dump(
        textwrap.dedent("""\
        shader: MESA_SHADER_FRAGMENT
        inputs: 0
        outputs: 0
        uniforms: 0
        shared: 0
        decl_function main (0 params)

        impl main {
        \tdecl_reg vec1 32 r0
        \tdecl_reg vec1 32 r1
        \tdecl_reg vec1 32 r2
        \tblock block_0:
        \t/* preds: */
        \tvec1 32 ssa_0 = load_const (0x00000001 /* 0.000000 */)
        \tvec1 1 ssa_1 = intrinsic load_front_face () ()
        \tr0 = mov ssa_0
        \tr1 = mov ssa_0
        \t/* succs: block_1 block_2 */
        \tif ssa_1 {
        \t\tblock block_1:
        \t\t/* preds: block_0 */
        \t\tr1 = mov ssa_0
        \t\t/* succs: block_3 */
        \t} else {
        \t\tblock block_2:
        \t\t/* preds: block_0 */
        \t\t/* succs: block_3 */
        \t}
        \tblock block_3:
        \t/* preds: block_1 block_2 */
        \tr2 = iadd r1, r0
        \tvec1 32 ssa_2 = iadd r0, ssa_0
        \tvec1 32 ssa_3 = iadd r2, ssa_0
        \t/* succs: block_4 */
        \tblock block_4:
        }
        """).encode()
    )
    impl = next(shader.impls())
    assert len(impl.registers) == 3
    info = divergence(shader)
    assert [info.is_register_divergent(register) for register in impl.registers] == [False, True, True]
    assert divergent_numbers(info) == {1, 3}
    sentences = [reason.sentence for reason in info.reasons(values(shader)[3])]
    assert "r2" in sentences[0]
    assert "r1 is written in block_1 under the if on ssa_1: condition ssa_1 is divergent" in sentences[2]
    assert sentences[-1].startswith("ssa_1:")


def test_paths_of_a_divergent_goto_meet_in_phis() -> None:
    source = """
        block b0:  // preds:
        1   %0 = {condition}
        32  %1 = @load_num_subgroups
        32  %2 = ineg %1
        goto b1 if %0 else b2
                // succs: b1 b2
        block b1:  // preds: b0
        32  %3 = ineg %1
        goto b2
                // succs: b2
        block b2:  // preds: b0 b1
        32  %4 = phi b0: %1, b1: %3
                // succs: b3
        block b3:
    """
    shader = read(source.format(condition="@load_front_face"))
    info = divergence(shader)
    assert divergent_numbers(info) == {0, 4}
    assert info.reasons(values(shader)[4])[-1].value is values(shader)[0]
    assert divergent_numbers(divergence(read(source.format(condition="load_const (true)")))) == set()


def test_cycle_with_a_divergent_goto_leaves_its_values_apart() -> None:
    source = """
        block b0:  // preds:
        32  %0 = load_const (0x00000000)
        32  %1 = load_const (0x00000001)
        goto b1
                // succs: b1
        block b1:  // preds: b0 b2
        32  %2 = phi b0: %0, b2: %4
        1   %3 = {condition}
        32  %4 = iadd %2, %1
        goto b3 if %3 else b2
                // succs: b3 b2
        block b2:  // preds: b1
        32  %5 = ineg %4
        goto b1
                // succs: b1
        block b3:  // preds: b1
        32  %6 = phi b1: %4
        32  %7 = ineg %4
        32  %8 = ineg %1
                // succs: b4
        block b4:
    """
    shader = read(source.format(condition="@load_front_face"))
    info = divergence(shader)
    assert divergent_numbers(info) == {3, 6, 7}
    assert "comes out of a cycle" in info.reasons(values(shader)[7])[0].sentence
    assert divergent_numbers(divergence(read(source.format(condition="load_const (true)")))) == set()


def test_each_function_is_analysed_by_itself() -> None:
    shader = parse_dump(
        b"shader: MESA_SHADER_FRAGMENT\n"
        b"decl_function main () (entrypoint)\n\nimpl main {\n    block b0:  // preds:\n"
        b"    32  %0 = @load_sample_id\n            // succs: b1\n    block b1:\n}\n"
        b"decl_function helper () \n\nimpl helper {\n    block b0:  // preds:\n"
        b"    32  %0 = load_const (0x00000001)\n            // succs: b1\n    block b1:\n}\n"
    )
    info = divergence(shader)
    assert [info.is_divergent(value) for impl in shader.impls() for value in impl.defs()] == [True, False]


def test_old_rules_for_intrinsics_and_system_values() -> None:
    shader = read(
        """
        block b0:  // preds:
        32x4 %0 = @load_subgroup_eq_mask
        32   %1 = deref_var &gl_NumSubgroups (system int)
                // succs: b1
        block b1:
        """,
        "COMPUTE",
        "decl_var system INTERP_MODE_NONE none int gl_NumSubgroups (SYSTEM_VALUE_NUM_SUBGROUPS)\n",
    )
    assert divergent_numbers(divergence(shader)) == {0}
    assert divergent_numbers(divergence(shader, OLD_RULES)) == {1}


def test_invocations_of_a_patch_read_the_same_at_one_place_of_it() -> None:
    place = "(base=0, range=1, component=0, dest_type=float32, io location=VARYING_SLOT_VAR0 slots=1)"
    patch = place.replace("VAR0", "TESS_LEVEL_OUTER")
    text = f"""shader: MESA_SHADER_TESS_CTRL
decl_function main () (entrypoint)

impl main {{
    block b0:  // preds:
    32 %0 = load_const (0x00000000)
    32 %1 = @load_invocation_id
    32 %2 = @load_per_vertex_input (%0, %0) {place}
    32 %3 = @load_per_vertex_input (%1, %0) {place}
    32 %4 = @load_output (%0) {patch}
    32 %5 = @load_per_vertex_output (%1, %0) {place}
    32 %6 = @load_ssbo (%0, %0) (access=none, align_mul=4, align_offset=0)
    32 %7 = @load_ubo (%0, %0) (access=none, align_mul=4, align_offset=0, range_base=0, range=4)
    32 %8 = @load_primitive_id
    block b1:
}}
"""
    shader = parse_dump(text.encode())
    assert not shader.unreadable
    impl = shader.entrypoint
    assert impl is not None
    info = patch_divergence(shader)
    assert [value.index for value in impl.defs() if info.is_divergent(value)] == [1, 3, 5, 6]
    assert vertex_divergence(shader).is_divergent(list(impl.defs())[2]), "Mesa's analysis does not know it"
