from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import nirls
from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump, parse_shaders
from nirls.verification.compare.results import key_text
from nirls.verification.evaluate.values.errors import TimeUsedUp
from nirls.verification.tracing.given_values import given_in_comments
from nirls.verification.tracing.trace import Trace, TracedValue, TraceRequest, traced_run
from tests.passes.shader_text import ONE, ZERO, load, shader, store, use


def trace_of(*shaders: Shader, seed: int = 1, comments: str = "") -> Trace:
    values, problems = given_in_comments(comments.encode())
    assert not problems
    return traced_run(shaders, TraceRequest(seed, given=values)).stages[-1]


def value(trace: Trace, name: str) -> TracedValue:
    return next(one for one in trace.values if one.name == name)


LOOP = parse_dump(b"""\
shader: MESA_SHADER_COMPUTE
workgroup_size: 8, 1, 1
decl_function main () (entrypoint)

impl main {
    block b0:  // preds:
    32    %0 = load_const (0x00000000)
    32    %1 = load_const (0x00000001)
    32    %2 = @load_local_invocation_index
               // succs: b1
    loop {
        block b1:  // preds: b0 b4
        32    %3 = phi b0: %0 (0x0), b4: %6
        1     %4 = uge %3, %2
                   // succs: b2 b3
        if %4 {
            block b2:  // preds: b1
            32    %5 = iadd %3, %1 (0x1)
            break
            // succs: b5
        } else {
            block b3:  // preds: b1, succs: b4
        }
        block b4:  // preds: b3
        32    %6 = iadd %3, %1 (0x1)
                   // succs: b1
    }
    block b5:  // preds: b2
               @store_ssbo (%5, %0 (0x0), %2) (wrmask=x, access=none, align_mul=4, align_offset=0)
               // succs: b6
    block b6:
}
""")


def test_loops_have_the_last_round_of_each_invocation() -> None:
    trace = trace_of(LOOP)
    lanes = np.arange(trace.invocations) % 8
    assert value(trace, "%3").bits[0].tolist() == lanes.tolist()
    assert value(trace, "%5").bits[0].tolist() == (lanes + 1).tolist()
    assert value(trace, "%3").runs.tolist() == (lanes + 1).tolist()
    assert value(trace, "%6").runs.tolist() == lanes.tolist()
    (round_,) = (block for block in trace.blocks if block.is_round)
    assert round_.index == 1
    assert round_.runs.tolist() == (lanes + 1).tolist()


def test_blocks_have_lines() -> None:
    by_index = {block.index: block for block in trace_of(LOOP).blocks}
    assert by_index[0].lines is not None
    assert by_index[0].lines[0] == 5
    assert by_index[2].lines == (16, 18) or by_index[2].lines == (16, 19)


def test_memory_tells_who_wrote_it() -> None:
    plain = parse_dump(LOOP.source.replace(b"%0 (0x0), %2)", b"%0 (0x0), %0 (0x0))"))
    assert {cell.name for cell in trace_of(plain).memory} == {"ssbo0[0]"}


SUM = (load(1, "VAR0"), "32 %2 = fadd %1, %1", store("VAR0", "%2"))


def test_given_inputs_and_words() -> None:
    word = "32 %3 = @load_ubo (%0 (0x0), %0 (0x0)) (access=none, align_mul=4, align_offset=0, range=4)"
    product = "32 %4 = fmul %2, %3"
    lines = (*SUM[:2], word, product, store("VAR1", "%4"))
    text = shader("FRAGMENT", ZERO, *lines).source.replace(b"VARYING_SLOT_VAR1", b"FRAG_RESULT_DATA0")
    comments = "// nirls: input VAR0.x = 1.5\n// nirls: uniform ubo0[0] = 2\n"
    trace = trace_of(parse_dump(text), comments=comments)
    assert set(value(trace, "%4").bits.view(np.uint64)[0].tolist()) == {0x40C00000}
    (written,) = trace.outputs_of(3)
    assert (written.name, written.base, written.bits) == ("FRAG_RESULT_DATA0.x", "float", 0x40C00000)


def test_given_uniform_variables() -> None:
    dump = parse_dump(b"""\
shader: MESA_SHADER_FRAGMENT
decl_var uniform INTERP_MODE_NONE none vec2[3] scale (~0, 0, 0)
decl_function main () (entrypoint)

impl main {
    block b0:  // preds:
    32    %0 = load_const (0x00000001)
    32    %1 = deref_var &scale (uniform vec2[3])
    32    %2 = deref_array &(*%1)[1] (uniform vec2)  // &scale[1]
    32x2  %3 = @load_deref (%2) (access=none)
               // succs: b1
    block b1:
}
""")
    trace = trace_of(dump, comments="// nirls: uniform scale[1] = 4, 0.5")
    assert [set(row.tolist()) for row in value(trace, "%3").bits] == [{0x40800000}, {0x3F000000}]


def test_what_nothing_reads_is_told() -> None:
    values, _ = given_in_comments(b"// nirls: input VAR0.x = 1\n// nirls: input VAR5.x = 1")
    dump = shader("FRAGMENT", ZERO, load(1, "VAR0"), use("%1"))
    assert traced_run([dump], TraceRequest(given=values)).unread == ("VAR5.x",)


def test_undefined_values_are_marked() -> None:
    trace = trace_of(shader("VERTEX", ZERO, "32 %1 = undefined", store("VAR0", "%1")))
    assert value(trace, "%1").undefined.all()
    assert trace.outputs_of(0)[0].bits is None


def test_deadline_ends_a_run() -> None:
    with pytest.raises(TimeUsedUp):
        traced_run([LOOP], TraceRequest(), deadline=0.0)


def test_linked_stages_read_what_the_one_before_wrote() -> None:
    vertex = shader("VERTEX", ZERO, ONE, store("VAR0"))
    fragment = shader("FRAGMENT", ZERO, load(1, "VAR0"), use("%1"))
    trace = trace_of(vertex, fragment)
    assert trace.stage == "FS"
    assert set(value(trace, "%1").bits[0].tolist()) == {0x3F800000}


@pytest.mark.parametrize("op", ["fadd", "iadd"])
def test_types_follow_uses_and_operations(op: str) -> None:
    trace = trace_of(shader("VERTEX", ZERO, ONE, f"32 %2 = {op} %1, %1"))
    assert value(trace, "%2").base == ("float" if op == "fadd" else "int")


def same_outputs(trace: Trace, result: nirls.ShaderResult) -> int:
    """Compare the outputs of a stage with those of `nirls.evaluate`; return how many there are."""
    expected = {
        (instance, key_text(key, result.stage), vertex): (
            None if plane.poison[instance, vertex] else int(plane.bits[instance, vertex])
        )
        for key, plane in result.outputs.items()
        for instance, vertex in np.argwhere(plane.written).tolist()
    }
    found = {}
    for instance, outputs in trace.outputs.items():
        for one in outputs:
            name, _, vertex = one.name.partition(" of vertex ")
            found[instance, name, int(vertex or 0)] = one.bits
    assert found == expected
    assert trace.discarded.tolist() == result.discarded.tolist()
    cells = {cell.bits for cell in result.memory.values() if not cell.poison and not cell.holes}
    assert {cell.bits for cell in trace.memory if cell.bits is not None} == cells
    return len(expected)


def stored_values_are_written(parsed: Shader, trace: Trace) -> None:
    """Outputs that one store writes have the value of its source."""
    values = {one.name: one for one in trace.values}
    stores = [
        instr
        for instr in parsed.instrs()
        if isinstance(instr, IntrinsicInstr)
        and instr.name == "store_output"
        and instr.io_semantics is not None
    ]
    slots = [(one.io_semantics.location, one.int_index("component")) for one in stores if one.io_semantics]
    for instr, slot in zip(stores, slots, strict=True):
        source = instr.sources[0].def_
        if slots.count(slot) > 1 or source is None or source.num_components > 1:
            continue
        stored = values[f"%{source.index}"]
        for lane in range(trace.invocations):
            written = {one.bits for one in trace.outputs_of(lane)}
            if not stored.undefined[0, lane] and stored.runs[lane] and not trace.discarded[lane]:
                assert not written or int(stored.bits[0, lane]) in written


def io_shaders(corpus: Path) -> Sequence[Path]:
    """Twenty shaders of the corpus, of several stages."""
    paths = sorted((corpus / "pipelines").glob("*/modern/*.io.nir"))
    return [path for path in paths if not path.name.startswith("geom")][::2][:20]


@pytest.mark.sweep
def test_values_of_twenty_shaders_are_those_of_evaluate(corpus: Path) -> None:
    paths = io_shaders(corpus)
    assert len(paths) == 20
    outputs = 0
    for path in paths:
        (parsed,) = parse_shaders(path.read_bytes())
        trace = trace_of(parsed)
        (result,) = nirls.evaluate([parsed])
        outputs += same_outputs(trace, result)
        if trace.stage in ("VS", "FS"):
            stored_values_are_written(parsed, trace)
    assert outputs > 1000


CALLS = parse_dump(b"""\
shader: MESA_SHADER_VERTEX
decl_var shader_in INTERP_MODE_NONE none vec2 normal (VERT_ATTRIB_NORMAL.xy, 0, 0)
decl_var shader_out INTERP_MODE_SMOOTH none vec2 out (VARYING_SLOT_VAR0.xy, 0, 0)
decl_function main () (entrypoint)
decl_function nothing ()

impl main {
    block b0:  // preds:
    32    %0 = deref_var &normal (shader_in vec2)
    32x2  %1 = @load_deref (%0) (access=none)
               call nothing
               call nothing
    32    %2 = deref_var &out (shader_out vec2)
    32x2  %3 = vec2 %1.y, %1.x
               @store_deref (%2, %3) (wrmask=xy, access=none)
               // succs: b1
    block b1:
}

impl nothing {
    block b0:  // preds:, succs: b1
    block b1:
}
""")


def test_block_with_calls_runs_once_and_variables_tell_types() -> None:
    trace = trace_of(CALLS, comments="// nirls: input normal = 1, 2")
    for name in ("%1", "%3"):
        found = value(trace, name)
        assert found.base == "float"
        assert set(found.runs.tolist()) == {1}
    assert [one.bits for one in trace.outputs_of(0)] == [0x40000000, 0x3F800000]


@pytest.mark.parametrize(
    ("line", "base"),
    [
        (load(1, "VAR0"), "float"),
        (
            "32 %1 = @load_ubo (%0 (0x0), %0 (0x0)) (access=none, align_mul=4, align_offset=0, range=4)",
            "mixed",
        ),
    ],
)
def test_values_that_nothing_uses_have_the_stated_type_or_none(line: str, base: str) -> None:
    assert value(trace_of(shader("FRAGMENT", ZERO, line)), "%1").base == base
