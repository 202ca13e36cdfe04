from __future__ import annotations

import pytest

from nirls.ir.io.level import LoweringLevel
from nirls.ir.model.stage import Stage
from nirls.server.engine.pipelines.dump_facts import DumpFacts, dump_facts

DUMP = b"""shader: MESA_SHADER_TESS_EVAL
source_blake3: {0x41c5fb03, 0x8d956d46}
name: GLSL3
internal: false
prev_stage: MESA_SHADER_TESS_CTRL
next_stage: MESA_SHADER_FRAGMENT
inputs_read: 0,26-27,32
outputs_written: 0,32
impl main {
    block b0:
    @store_output (%1, %2) (base=0)
}
"""


def test_facts_of_a_header() -> None:
    assert dump_facts(DUMP) == DumpFacts(
        Stage.TESS_EVAL,
        "GLSL3",
        Stage.FRAGMENT,
        prev_stage=Stage.TESS_CTRL,
        source="{0x41c5fb03, 0x8d956d46}",
        inputs_read=1 | 1 << 26 | 1 << 27 | 1 << 32,
        outputs_written=1 | 1 << 32,
        # The inputs that the header lists are read through something else than slots.
        level=LoweringLevel.BACKEND_IO,
    )


def test_fields_that_are_unset_or_unknown() -> None:
    facts = dump_facts(
        b"shader: MESA_SHADER_VERTEX\nsource_sha1: {0x00000000, 0x00000000}\nnext_stage: MESA_SHADER_VERTEX\n"
        b"internal: true\ninputs_read: odd\nimpl main {\n}\n"
    )
    assert facts == DumpFacts(Stage.VERTEX, is_internal=True)


@pytest.mark.parametrize("line", [b"name: x", b"inputs_read: 32"])
def test_lines_of_the_body_are_no_header(line: bytes) -> None:
    assert dump_facts(b"shader: MESA_SHADER_VERTEX\nimpl main {\n" + line + b"\n}\n") == DumpFacts(
        Stage.VERTEX
    )


def test_the_fingerprint_is_that_of_the_text() -> None:
    assert dump_facts(DUMP).fingerprint == dump_facts(DUMP).fingerprint
    assert dump_facts(DUMP).fingerprint != dump_facts(DUMP + b"\n").fingerprint


def test_slots_of_a_header_without_masks_are_those_of_the_accesses() -> None:
    facts = dump_facts(
        b"shader: MESA_SHADER_GEOMETRY\ninternal: true\nimpl main {\n"
        b"32 %1 = @load_per_vertex_input (%0, %0) (base=0, io location=VARYING_SLOT_VAR1 slots=2)\n"
        b"32 %2 = @load_output (%0) (base=0, io location=VARYING_SLOT_VAR9 slots=1)\n"
        b"@store_output (%1, %0) (base=0, io location=VARYING_SLOT_VAR0 slots=1)\n"
        b"intrinsic store_output (ssa_2, ssa_0) (0, 15) /* base=0 */ /* location=0 slots=1 */\n}\n"
    )
    assert facts.inputs_read == 0b11 << 33
    assert facts.outputs_written == 1 << 32 | 1


@pytest.mark.parametrize(
    ("access", "masks"),
    [
        ("@store_output (%1, %0) (base=0, io location=VARYING_SLOT_VAR0 slots=1)", (0, 1 << 32)),
        ("32 %2 = @load_output (%0) (base=0, io location=VARYING_SLOT_VAR0 slots=1)", (0, 7 << 32)),
        # Without slots, as in old dumps.
        ("@store_output (%1, %0) (base=0)", (0, 7 << 32)),
    ],
)
def test_accesses_replace_a_mask_of_the_header(access: str, masks: tuple[int, int]) -> None:
    facts = dump_facts(
        f"shader: MESA_SHADER_VERTEX\noutputs_written: 32-34\nimpl main {{\n{access}\n}}\n".encode()
    )
    assert (facts.inputs_read, facts.outputs_written) == masks, "Mesa does not print a mask of 0"


def test_global_variables_of_a_dump_without_a_name() -> None:
    lines = (
        b"decl_var shader_in INTERP_MODE_SMOOTH none vec4 uv (VARYING_SLOT_VAR0.xyzw, 0, 0)\n"
        b"decl_var ssbo INTERP_MODE_NONE restrict B[4] buf (0, 0, 0)\n"
        b"impl main {\n    decl_var  INTERP_MODE_NONE none vec4 local\n}\n"
    )
    assert dump_facts(b"shader: MESA_SHADER_VERTEX\n" + lines).variables == {b"uv", b"buf"}
    assert not dump_facts(b"shader: MESA_SHADER_VERTEX\nname: GLSL1\n" + lines).variables
