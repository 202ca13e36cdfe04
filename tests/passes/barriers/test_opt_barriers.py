"""Which barriers go, and which must stay."""

from __future__ import annotations

from pathlib import Path

import pytest

from nirls.ir.finding import Place
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from nirls.passes.barriers.opt_barriers import OptBarriers, opt_barriers
from nirls.passes.translation_validation import Different, ValidationOptions, validate_pass
from tests.passes.barriers.bodies import barrier, barriers, compute, control
from tests.passes.expectation import assert_valid


def left(shader: Shader) -> int:
    """How many barriers stay; the result must do the same, and running the pass again changes nothing."""
    after = clone_shader(shader)
    removed = opt_barriers(after)
    assert_valid(after)
    assert len(removed) == len(barriers(shader)) - len(barriers(after))
    assert not isinstance(validate_pass(shader, after), Different)
    assert opt_barriers(after) == []
    return len(barriers(after))


@pytest.mark.parametrize(
    ("body", "stay"),
    [
        ("out VAR0.x [%1] = %1\nbarrier\n%9 = load VAR0.x [%0]\nout VAR1.x [%1] = %9", 1),
        ("out VAR0.x [%1] = %1\nbarrier\nbarrier\n%9 = load VAR0.x [%0]\nout VAR1.x [%1] = %9", 1),
        ("out VAR0.x [%1] = %1\nbarrier\nout VAR1.x [%1] = %1", 0),
        ("barrier\nout VAR0.x [%1] = %1", 0),
        # The invocation's own output is in order anyway.
        ("out VAR0.x [%1] = %1\nbarrier\n%9 = load VAR0.x [%1]\nout VAR1.x [%1] = %9", 0),
        # Another component, another slot.
        ("out VAR0.x [%1] = %1\nbarrier\n%9 = load VAR0.y [%0]\nout VAR1.x [%1] = %9", 0),
        # A load before and a store after: the store may not come early.
        ("%9 = load VAR0.x [%0]\nbarrier\nout VAR0.x [%1] = %1", 1),
        # Two stores of the patch's output: which one is the last.
        ("patch PATCH0.x = %0\nbarrier\npatch PATCH0.x = %1", 1),
        # Two barriers with a load between, which the first one is for.
        (
            "out VAR0.x [%1] = %1\nbarrier\n%9 = load VAR0.x [%0]\nbarrier\nout VAR0.x [%1] = %9\n",
            2,
        ),
        # The second one orders what the first one does not.
        (
            "out VAR0.x [%1] = %1\nbarrier\nout VAR1.x [%1] = %1\nbarrier\n%9 = load VAR0.x [%0]\n"
            "%10 = load VAR1.x [%0]\n32 %11 = fadd %9, %10\nout VAR2.x [%1] = %11",
            1,
        ),
    ],
)
def test_outputs_of_a_patch(body: str, stay: int) -> None:
    assert left(control(body)) == stay


@pytest.mark.parametrize(
    ("body", "stay"),
    [
        ("sst %2 [%3]\nwait shared\n%9 = sld [%0]\ngst %9", 1),
        ("sst %2 [%3]\nwait shared\nwait shared\n%9 = sld [%0]\ngst %9", 1),
        ("sst %2 [%3]\nwait shared\ngst %2", 0),
        ("%9 = sld [%0]\nwait shared\nsst %2 [%3]", 1),
        # Memory alone, and waiting together with it.
        ("sst %2 [%3]\nfence shared\nwait shared\n%9 = sld [%0]\ngst %9", 1),
        # The one that waits orders another kind of memory, so both are needed.
        ("sst %2 [%3]\nfence shared\nwait image\n%9 = sld [%0]\ngst %9", 2),
        # Memory that others may look at without waiting.
        ("gst %2\nfence ssbo\ngst %1", 1),
        ("gst %2\nfence ssbo", 0),
        ("gst %2\nfence image\ngst %1", 0),
        # Bytes that are known to be others.
        ("sst %2 [%0]\nwait shared\n%9 = sld [%1]\ngst %9", 0),
        (f"sst %2 [%3]\n{barrier(semantics='NONE', modes='none')}\n%9 = sld [%0]\ngst %9", 1),
        (f"sst %2 [%3]\n{barrier('NONE', 'NONE', 'none', 'NONE')}\n%9 = sld [%0]\ngst %9", 0),
        # The first one is for more than the second one.
        (f"sst %2 [%3]\nwait shared\n{barrier('SUBGROUP', 'SUBGROUP')}\n%9 = sld [%0]\ngst %9", 1),
        (
            f"gst %2\n{barrier(reaches='DEVICE', modes='ssbo')}\n{barrier(modes='ssbo')}\n"
            "%9 = gld\nsst %9 [%3]",
            1,
        ),
        (f"sst %2 [%3]\n{barrier(semantics='REL')}\n{barrier(semantics='ACQ')}\n%9 = sld [%0]\ngst %9", 2),
    ],
)
def test_shared_and_other_memory(body: str, stay: int) -> None:
    assert left(compute(body)) == stay


LOOP = """
loop {{
    block b1:  // preds: b0 b5
    32 %8 = phi b0: %0, b5: %12
    {head}
    1 %10 = ige %8, %1
    if %10 {{
        block b2:  // preds: b1
        break
    }} else {{
        block b3:  // preds: b1
    }}
    block b5:  // preds: b3
    {tail}
    32 %12 = iadd %8, %1
}}
block b6:  // preds: b2
"""


@pytest.mark.parametrize(
    ("head", "tail", "stay"),
    [
        ("%9 = sld [%0]\nwait shared", "sst %9 [%3]\nwait shared", 2),
        # What is stored in one turn is loaded in the next one.
        ("%9 = sld [%0]", "wait shared\nsst %9 [%3]", 1),
        ("%9 = sld [%0]", "wait shared\n32 %13 = iadd %9, %9", 0),
        ("wait shared", "wait shared\nsst %8 [%3]", 1),
    ],
)
def test_turns_of_a_loop_follow_each_other(head: str, tail: str, stay: int) -> None:
    assert left(compute(LOOP.format(head=head, tail=tail))) == stay


def test_every_way_counts() -> None:
    body = """
        1 %8 = ieq %2, %2
        if %8 {
            block b1:  // preds: b0
            sst %2 [%3]
        } else {
            block b2:  // preds: b0
        }
        block b3:  // preds: b1 b2
        wait shared
        if %8 {
            block b4:  // preds: b3
            %9 = sld [%0]
            gst %9
        } else {
            block b5:  // preds: b3
        }
        block b6:  // preds: b4 b5
    """
    assert left(compute(body)) == 1
    assert left(compute(body.replace("%9 = sld [%0]\n            gst %9", "gst %2"))) == 0


def test_what_one_invocation_does_alone_needs_no_barrier() -> None:
    body = """
        1 %8 = ieq %2, %0
        if %8 {{
            block b1:  // preds: b0
            sst %2 [%0]
        }} else {{
            block b2:  // preds: b0
        }}
        block b3:  // preds: b1 b2
        wait shared
        1 %9 = ieq %2, {number}
        if %9 {{
            block b4:  // preds: b3
            %10 = sld [%0]
            gst %10
        }} else {{
            block b5:  // preds: b3
        }}
        block b6:  // preds: b4 b5
    """
    assert left(compute(body.format(number="%0"))) == 0
    assert left(compute(body.format(number="%1"))) == 1


def test_an_atomic_or_something_unknown_is_not_passed() -> None:
    atomic = "32 %9 = @shared_atomic (%0, %1) (base=0, atomic_op=iadd)"
    assert left(compute(f"sst %2 [%3]\nfence shared\n{atomic}")) == 1
    assert left(compute(f"sst %2 [%3]\nwait shared\n{atomic}\ngst %9")) == 1


def test_older_barriers() -> None:
    """Up to 22.3, one intrinsic waits and others order memory."""
    text = b"""shader: MESA_SHADER_COMPUTE
workgroup-size: 8, 1, 1
decl_function main (0 params)

impl main {
\tblock block_0:
\t/* preds: */
\tvec1 32 ssa_0 = load_const (0x00000000 = 0.000000)
\tvec1 32 ssa_2 = intrinsic load_local_invocation_index () ()
\tvec1 32 ssa_3 = ishl ssa_2, ssa_2
\tintrinsic store_shared (ssa_2, ssa_3) (base=0, wrmask=x /*1*/, align_mul=4, align_offset=0)
\tintrinsic memory_barrier_shared () ()
\tintrinsic control_barrier () ()
\tintrinsic memory_barrier_buffer () ()
\tvec1 32 ssa_4 = intrinsic load_shared (ssa_0) (base=0, align_mul=4, align_offset=0)
\tintrinsic memory_barrier_shared () ()
\tintrinsic control_barrier () ()
\tintrinsic store_ssbo (ssa_4, ssa_0, ssa_0) (wrmask=x /*1*/, access=0, align_mul=4, align_offset=0)
\t/* succs: block_1 */
\tblock block_1:
}
"""
    shader = parse_dump(text)
    assert not shader.unreadable
    after = clone_shader(shader)
    assert OptBarriers().run([after]) == [after]
    assert [one.name for one in barriers(after)] == ["memory_barrier_shared", "control_barrier"]
    assert not isinstance(validate_pass(shader, after), Different)


def test_finding_says_why_and_which_barrier_orders_the_rest() -> None:
    shader = control("out VAR0.x [%1] = %1\nbarrier\nbarrier\n%9 = load VAR0.x [%0]\nout VAR1.x [%1] = %9")
    (finding,) = OptBarriers().find([shader])
    first, second = barriers(shader)
    assert finding.place == Place.of(first.span)
    assert finding.message.startswith("barrier orders nothing: ")
    assert [related.place for related in finding.related] == [Place.of(second.span)]
    (fix,) = finding.fixes
    (change,) = OptBarriers().fix([shader], fix.key)
    assert [one.span for one in barriers(change.after)] == [second.span]


def test_fixes_remove_one_barrier_or_all() -> None:
    shader = control("barrier\nout VAR0.x [%1] = %1\nbarrier\nout VAR1.x [%1] = %1")
    first, second = OptBarriers().find([shader])
    one, all_of_them = second.fixes
    assert [len(barriers(OptBarriers().fix([shader], fix.key)[0].after)) for fix in (one, all_of_them)] == [
        1,
        0,
    ]
    assert first.fixes[1].kind == "pass"


def test_functions_that_are_called_keep_their_barriers(data: Path) -> None:
    text = (
        "shader: MESA_SHADER_COMPUTE\nworkgroup_size: 8, 1, 1\ndecl_function main () (entrypoint)\n"
        "decl_function helper ()\n\nimpl main {\n    block b0:  // preds:\n    call helper\n"
        "    block b1:\n}\n\n"
        f"impl helper {{\n    block b0:  // preds:\n    {barrier()}\n    block b1:\n}}\n"
    )
    shader = parse_dump(text.encode())
    assert not shader.unreadable
    assert opt_barriers(shader) == []


def test_corpus_stays_the_same(corpus: Path) -> None:
    kept = {}
    for path in sorted(corpus.glob("pipelines/hand_comp_*/*/comp.io.nir")):
        shader = parse_dump(path.read_bytes())
        after = clone_shader(shader)
        opt_barriers(after)
        assert_valid(after)
        if barriers(shader):
            kept[f"{path.parent.parent.name}/{path.parent.name}"] = len(barriers(after))
            quick = ValidationOptions(runs=1, most_runs=1, lanes=16)
            assert not isinstance(validate_pass(shader, after, quick), Different)
    assert kept
    assert all(kept.values()), "shared memory of these is used by all, so that a barrier must be left"
