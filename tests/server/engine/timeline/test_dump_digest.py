from __future__ import annotations

import time
from pathlib import Path

import pytest

from nirls.ir.text.dumps import split_dumps
from nirls.ir.text.parse import parse_dump
from nirls.ir.text.printing import normalize
from nirls.server.engine.timeline.dump_digest import DumpCounts, DumpDigest, ShaderIdentity
from tests.passes.shader_text import ONE, ZERO, load, shader_text, store


def test_counts_are_those_of_the_ir(corpus: Path, data: Path) -> None:
    paths = [
        *sorted((corpus / "pipelines").glob("*/*/*.nir"))[::41],
        *sorted((corpus / "old").glob("*.nir")),
        *sorted(data.glob("*.nir")),
    ]
    dumps = [
        path.read_bytes()[one.start : one.end] for path in paths for one in split_dumps(path.read_bytes())
    ]
    assert len(dumps) > 30
    for text in dumps:
        impls = list(parse_dump(text).impls())
        counts = DumpDigest(text).counts
        assert counts.instructions == sum(1 for impl in impls for _ in impl.instrs())
        assert counts.blocks == sum(len(impl.blocks()) for impl in impls)


def test_scalars_of_lowered_io_count_once() -> None:
    text = shader_text(
        "FRAGMENT",
        ZERO,
        ONE,
        load(2, "VAR0"),
        load(3, "VAR0"),
        load(4, "VAR0", 1),
        load(5, "VAR1"),
        store("VAR2"),
    )
    assert DumpDigest(text.encode()).counts == DumpCounts(7, 1, 3, 1, 0)


@pytest.mark.parametrize(
    ("declared", "inputs"),
    [
        ("vec3 n (VARYING_SLOT_VAR1.xyz, 0, 0)", 3),
        ("mat4 m (VARYING_SLOT_VAR1.xyzw, 0, 0)", 16),
        ("float[5] a (VARYING_SLOT_VAR1.x, 0, 0)", 5),
        ("gl_PerVertex  (VARYING_SLOT_POS, 0, 0)", 4),
    ],
)
def test_declared_io_counts_where_nothing_is_lowered(declared: str, inputs: int) -> None:
    text = shader_text("FRAGMENT", ZERO, header=[f"decl_var shader_in INTERP_MODE_NONE none {declared}"])
    assert DumpDigest(text.encode()).counts.inputs == inputs


def test_the_array_of_vertices_counts_once() -> None:
    line = "decl_var shader_in INTERP_MODE_NONE none vec2[3] v (VARYING_SLOT_VAR0.xy, 0, 0)"
    assert DumpDigest(shader_text("GEOMETRY", ZERO, header=[line]).encode()).counts.inputs == 2
    assert DumpDigest(shader_text("FRAGMENT", ZERO, header=[line]).encode()).counts.inputs == 6


def test_registers_of_both_forms() -> None:
    modern = shader_text(
        "VERTEX", "32    %0 = @decl_reg () (num_components=1, bit_size=32, num_array_elems=0)"
    )
    assert DumpDigest(modern.encode()).counts.registers == 1
    old = "shader: MESA_SHADER_VERTEX\nimpl main {\n\tdecl_reg vec4 32 r0\n\tdecl_reg vec1 32 r1\n}\n"
    assert DumpDigest(old.encode()).counts.registers == 2


def test_identity() -> None:
    header = ["source_blake3: {0x12, 0x34}", "name: GLSL3", "label: sky"]
    text = shader_text("VERTEX", header=header).encode()
    assert DumpDigest(text).identity == ShaderIdentity("VERTEX", "GLSL3", "sky", "{0x12, 0x34}")
    unknown = shader_text("VERTEX", header=["source_sha1: {0x00000000, 0x00000000}"]).encode()
    assert DumpDigest(unknown).identity.is_anonymous


def test_keys_do_not_depend_on_numbers(data: Path) -> None:
    text = (data / "pipelines" / "tinted.vert.nir").read_bytes()
    text = b"".join(text[one.start : one.end] for one in split_dumps(text)[:1])
    digest, other = DumpDigest(text), DumpDigest(normalize(parse_dump(text)))
    assert digest.shape == other.shape
    assert digest.numbered_in_order == other.numbered_in_order
    assert digest.declarations == other.declarations
    assert digest.header == other.header


def test_shape_sees_what_is_done_and_not_with_what() -> None:
    one = DumpDigest(shader_text("VERTEX", ZERO, ONE, "32    %2 = fadd %0, %1").encode())
    swapped = DumpDigest(shader_text("VERTEX", ZERO, ONE, "32    %2 = fadd %1, %0").encode())
    other = DumpDigest(shader_text("VERTEX", ZERO, ONE, "32    %2 = fmul %0, %1").encode())
    assert one.shape == swapped.shape
    assert one.numbered_in_order != swapped.numbered_in_order
    assert one.shape != other.shape


@pytest.mark.sweep
@pytest.mark.parametrize(
    "line", ["/*" * 40_000, "%1 (0x" * 40_000, "load_const (" * 20_000, "decl_var shader_in " * 20_000]
)
def test_no_line_takes_time_by_the_square_of_its_length(line: str) -> None:
    text = f"shader: MESA_SHADER_VERTEX\n{line}\nimpl main {{\n{line}\n}}\n".encode()
    start = time.process_time()
    digest = DumpDigest(text)
    _ = digest.counts, digest.numbered_in_order, digest.io_names
    assert time.process_time() - start < 20


@pytest.mark.parametrize("where", ["slots=1", "32x4", "vec4"])
def test_numbers_without_end_count_for_nothing(where: str) -> None:
    endless = where.rstrip("14") + "9" * 5000
    line = "32x4 %1 = @load_input (%0) (location=33 slots=1)  // vec4".replace(where, endless)
    declared = f"decl_var shader_in vec4[{'9' * 5000}] x"
    text = f"shader: MESA_SHADER_FRAGMENT\n{declared}\nimpl main {{\n    {line}\n}}\n"
    assert DumpDigest(text.encode()).counts.instructions == 1


def test_operations_are_told_by_value_and_a_damaged_line_is_none() -> None:
    text = shader_text(
        "FRAGMENT", ZERO, "32    %1 = fadd %0, %0", "32x2\x10, 32 ay &(*%4)[%3]", store("VAR0", "%1")
    )
    operations = DumpDigest(text.encode()).operations
    assert {operation.name for operation in operations.counts} == {"load_const", "fadd", "store_output"}
    assert {name: operation.name for name, operation in operations.by_value.items()} == {
        b"%0": "load_const",
        b"%1": "fadd",
    }
