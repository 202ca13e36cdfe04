"""Images: stores are found again, and only there; atomics; coordinates beyond the dimension do not count."""

from __future__ import annotations

import pytest

from tests.verification.evaluate.shader_text import run, shader_of, store, stored

KIND = "image_dim=2D, image_array=false, format=r32g32b32a32_uint, access=none"
HEAD = """
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = load_const (0x00000001)
    32     %2 = @load_vertex_id_zero_base
    32     %3 = load_const (0x00000064 = 100)
    32     %4 = iadd %2, %3 (0x64)
    32x4   %5 = vec4 %2, %0, %0, %0
    32x4   %6 = vec4 %2, %0, %4, %4
    32x4   %7 = vec4 %1, %0, %0, %0
    32x4   %8 = vec4 %4, %4, %4, %4
    32x4   %9 = vec4 %2, %0, %0, %4
"""


def text(*lines: str) -> str:
    return "\n".join([HEAD, *lines, "                // succs: b99"])


def load(name: str, place: str, image: str = "%0 (0x0)") -> str:
    return (
        f"    32x4   %{name} = @image_load ({image}, %{place}, %0 (0x0), %0 (0x0)) ({KIND}, dest_type=uint32)\n"  # noqa: E501
        f"    32     %{name}0 = mov %{name}.x"
    )


STORE = f"                @image_store (%0 (0x0), %5, %0 (0x0), %8, %0 (0x0)) ({KIND}, src_type=uint32)"


def test_a_store_is_found_again_wherever_the_unused_coordinates_point() -> None:
    for component in "xw":
        line = load("10", "6").replace("%10.x", f"%10.{component}")
        result = run(shader_of(text(STORE, line, store("100", "0"))))
        assert stored(result) == list(range(100, 108))


def test_a_store_leaves_out_the_channels_that_the_format_lacks() -> None:
    def loaded(component: str, format_: str) -> list[int]:
        line = load("10", "5").replace("%10.x", f"%10.{component}")
        return stored(
            run(shader_of(text(STORE, line, store("100", "0")).replace("r32g32b32a32_uint", format_)))
        )

    assert loaded("x", "r32_uint") == loaded("y", "r32g32_uint") == list(range(100, 108))
    assert loaded("y", "r32_uint") == [0] * 8
    assert loaded("w", "r32g32_uint") == [1] * 8
    assert loaded("w", "none") == list(range(100, 108))


def test_a_layer_is_a_coordinate_behind_the_others() -> None:
    def of_layers(*lines: str) -> list[int]:
        shader = text(*lines, store("100", "0")).replace("image_array=false", "image_array=true")
        return stored(run(shader_of(shader)))

    assert of_layers(STORE, load("10", "5")) == list(range(100, 108))
    assert of_layers(STORE, load("10", "6")) != list(range(100, 108))
    cube = ("image_dim=2D", "image_dim=CUBE")
    assert of_layers(STORE.replace(*cube), load("10", "9").replace(*cube)) == list(range(100, 108))


@pytest.mark.parametrize(("dimension", "is_there"), [("2D", True), ("MS", False)])
def test_only_a_multisampled_image_has_samples(dimension: str, is_there: bool) -> None:
    other_sample = load("10", "5").replace("%5, %0", "%5, %1")
    lines = (line.replace("image_dim=2D", f"image_dim={dimension}") for line in (STORE, other_sample))
    found = stored(run(shader_of(text(*lines, store("100", "0")))))
    assert (found == list(range(100, 108))) is is_there


def test_another_image_or_place_is_not_touched() -> None:
    lines = [load("10", "5"), load("11", "5", "%1 (0x1)"), STORE, load("12", "5", "%1 (0x1)")]
    stores = [store(f"1{n}0", "0", component=n) for n in range(3)]
    result = run(shader_of(text(*lines, *stores)))
    assert stored(result, 1) == stored(result, 2)
    assert stored(result, 0) != stored(result, 1)


def test_what_is_written_can_be_seen_from_outside() -> None:
    memory = run(shader_of(text(STORE))).memory
    assert len(memory) == 8 * 4
    assert sorted(cell.bits for key, cell in memory.items() if key[1] == 2) == list(range(100, 108))


def test_atomics_take_turns() -> None:
    atomic = f"    32     %10 = @image_atomic (%0 (0x0), %7, %0 (0x0), %1 (0x1)) ({KIND}, atomic_op=iadd)"
    found = stored(run(shader_of(text(atomic, store("10", "0")))))
    assert [number - found[0] for number in found] == list(range(8))


def test_a_store_at_an_undefined_place_spoils_the_lane() -> None:
    lines = ["    32x4   %10 = undefined", STORE.replace("%5", "%10")]
    assert run(shader_of(text(*lines))).poisoned.all()
    assert not run(shader_of(text(STORE))).poisoned.any()


def test_a_size_does_not_depend_on_the_lane() -> None:
    size = f"    32x2   %10 = @image_size (%0 (0x0), %0 (0x0)) ({KIND})\n    32     %11 = mov %10.x"
    sizes = stored(run(shader_of(text(size, store("11", "0")))))
    assert len(set(sizes)) == 1
    assert sizes[0] >= 16
    level = size.replace("%0 (0x0))", "%1 (0x1))")
    assert stored(run(shader_of(text(level, store("11", "0"))))) == [number // 2 for number in sizes]
