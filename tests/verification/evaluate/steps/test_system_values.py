"""System values agree with each other."""

from __future__ import annotations

from tests.verification.evaluate.shader_text import DATA0, floats, run, shader_of, store, stored

HEAD = "workgroup_size: 2, 3, 1\n"


def of_vertex(*lines: str):  # type: ignore[no-untyped-def]
    body = ["    block b0:   // preds:", "    32     %0 = load_const (0x00000000)", *lines]
    return run(shader_of("\n".join([*body, "                // succs: b99"])))


def in_memory(*lines: str) -> list[int]:
    """What compute invocations store as %9, by their number in the dispatch."""
    body = [
        "    block b0:   // preds:",
        "    32     %0 = load_const (0x00000000)",
        "    32     %1 = load_const (0x00000002)",
        "    32     %2 = @load_workgroup_index",
        "    32     %3 = @load_local_invocation_index",
        "    32     %4 = load_const (0x00000006)",
        "    32     %5 = imul %2, %4 (0x6)",
        "    32     %6 = iadd %5, %3",
        "    32     %7 = ishl %6, %1 (0x2)",
        *lines,
        "                @store_ssbo (%9, %0 (0x0), %7) (wrmask=x, access=none, align_mul=4, align_offset=0)",
        "                // succs: b99",
    ]
    memory = run(shader_of("\n".join(body), "COMPUTE", HEAD), lanes=12).memory
    return [memory["ssbo", 0, lane].bits for lane in range(12)]


def test_vertex_numbers() -> None:
    result = of_vertex(
        "    32     %1 = @load_vertex_id",
        "    32     %2 = @load_first_vertex",
        "    32     %3 = @load_vertex_id_zero_base",
        "    32     %4 = iadd %2, %3",
        *(store(str(number), "0", component=place) for place, number in enumerate((1, 4, 3))),
    )
    assert stored(result) == stored(result, 1)
    assert stored(result, 2) == list(range(8))


def test_places_in_a_workgroup() -> None:
    def of(name: str, row: str) -> list[int]:
        return in_memory(f"    32x3   %8 = @{name}", f"    32     %9 = mov %8.{row}")

    assert of("load_local_invocation_id", "x") == [0, 1] * 6
    assert of("load_local_invocation_id", "y") == [0, 0, 1, 1, 2, 2] * 2
    assert of("load_workgroup_id", "x") == [0] * 6 + [1] * 6
    assert of("load_num_workgroups", "x") == [2] * 12
    assert of("load_global_invocation_id", "x") == [0, 1] * 3 + [2, 3] * 3
    assert of("load_workgroup_size", "y") == [3] * 12


def test_fragments_of_a_quad_are_neighbours() -> None:
    body = f"""
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32x4   %1 = @load_frag_coord
    32     %2 = mov %1.x
    32     %3 = mov %1.y
{store("2", "0", "FRAG_RESULT_DATA0")}
{store("3", "0", "FRAG_RESULT_DATA0", 1)}
                // succs: b99"""
    result = run(shader_of(body, "FRAGMENT"), lanes=16)
    x, y = (floats(result, component, DATA0) for component in (0, 1))
    for first in range(0, 16, 4):
        assert [number - x[first] for number in x[first : first + 4]] == [0, 1, 0, 1]
        assert [number - y[first] for number in y[first : first + 4]] == [0, 0, 1, 1]
        assert x[first] % 2 == 0.5
    assert len(set(zip(x, y, strict=True))) == 16


def test_a_fragment_covers_its_own_sample() -> None:
    body = f"""
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = load_const (0x00000001)
    32     %2 = @load_sample_mask_in
    32     %3 = @load_sample_id
    32     %4 = ushr %2, %3
    32     %5 = iand %4, %1
{store("5", "0", "FRAG_RESULT_DATA0")}
                // succs: b99"""
    assert stored(run(shader_of(body, "FRAGMENT"), lanes=64), slot=DATA0) == [1] * 64


def test_points_of_a_triangle_add_up_to_one() -> None:
    body = f"""
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32x3   %1 = @load_tess_coord
    32     %2 = fadd %1.x, %1.y
    32     %3 = fadd %2, %1.z
{store("3", "0")}
                // succs: b99"""
    assert floats(run(shader_of(body, "TESS_EVAL"), lanes=16)) == [1.0] * 16
    for component in "xyz":
        one = body.replace("fadd %2, %1.z", f"mov %1.{component}")
        assert all(0.0 <= number <= 1.0 for number in floats(run(shader_of(one, "TESS_EVAL"), lanes=64)))


def test_vertices_that_were_given_other_numbers() -> None:
    text = f"""
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = @load_vertex_id_zero_base
    32     %2 = load_const (0x00000004)
    1      %3 = ult %1, %2 (0x4)
                // succs: b1 b2
    if %3 {{
        block b1:   // preds: b0
        32     %4 = iadd %1, %2 (0x4)
                    @overwrite_vs_arguments_amd (%4, %0 (0x0))
                    // succs: b3
    }} else {{
        block b2:  // preds: b0, succs: b3
    }}
    block b3:   // preds: b1 b2
    32     %5 = @load_vertex_id_zero_base
{store("5", "0")}
{store("1", "0", component=1)}
                // succs: b99"""
    result = run(shader_of(text))
    assert stored(result) == [4, 5, 6, 7, 4, 5, 6, 7]
    assert stored(result, 1) == list(range(8))
