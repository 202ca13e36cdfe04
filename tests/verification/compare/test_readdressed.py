from __future__ import annotations

import pytest

from nirls.ir.model.shader import Shader
from nirls.verification.compare.readdressed import Readdressed
from nirls.verification.compare.subject import Subject
from nirls.verification.evaluate.machine import Machine
from nirls.verification.evaluate.state.options import RunOptions
from nirls.verification.evaluate.surroundings.environment import Environment
from nirls.verification.evaluate.values.errors import Unsupported
from nirls.verification.snapshots import RunnableSnapshot, compare_snapshots
from nirls.verification.verdict import Unchecked
from tests.passes.shader_text import ONE, ZERO, shader, store

DEREF = ("32x2 %10 = deref_var &a (uniform float)", "32 %12 = @load_deref (%10) (access=none)")
LOAD = "32 %12 = @load_uniform (%0 (0x0)) (base=8, range=4, dest_type=float32)"


@pytest.mark.parametrize("half", ["", "64 %13 = {}\n    32 %12 = unpack_64_2x32_split_y %13"])
def test_a_load_finds_what_the_other_one_read(half: str) -> None:
    *address, loaded = DEREF
    made, other = loaded, LOAD
    if half:
        address = [line.replace("uniform float", "uniform double") for line in address]
        made, other = (half.format(line.partition(" = ")[2]) for line in (loaded, LOAD))
    before = Machine(shader("VERTEX", ZERO, ONE, *address, made, store("VAR0", "%12")))
    after = Subject([shader("VERTEX", ZERO, ONE, other, store("VAR0", "%12"))])
    environment = Environment(3)
    expected = before.run(environment)
    readdressed = Readdressed(before, after)
    (found,) = readdressed.run(environment, 64, RunOptions()).stages
    (key,) = expected.outputs
    assert (found.outputs[key].bits == expected.outputs[key].bits).all()


def test_loads_that_nothing_corresponds_to() -> None:
    before = Machine(shader("VERTEX", ZERO, ONE, store("VAR0", "%1")))
    after = Subject([shader("VERTEX", ZERO, ONE, store("VAR0", "%1"))])
    with pytest.raises(Unsupported, match="memory that is addressed in another way"):
        Readdressed(before, after)


def test_two_values_at_one_address_are_refused() -> None:
    other = [line.replace("%1", "%2").replace("&a", "&b") for line in DEREF]
    before = Machine(shader("VERTEX", ZERO, ONE, *DEREF, *other, store("VAR0", "%12"), store("VAR1", "%22")))
    same_place = LOAD.replace("%12", "%22")
    after = shader("VERTEX", ZERO, ONE, LOAD, same_place, store("VAR0", "%12"), store("VAR1", "%22"))
    with pytest.raises(Unsupported, match="memory whose layout does not follow from the loads"):
        Readdressed(before, Subject([after])).run(Environment(3), 64, RunOptions())
    elsewhere = same_place.replace("base=8", "base=12")
    after = shader("VERTEX", ZERO, ONE, LOAD, elsewhere, store("VAR0", "%12"), store("VAR1", "%22"))
    Readdressed(before, Subject([after])).run(Environment(3), 64, RunOptions())


def test_buffers_get_other_numbers_but_their_contents_stay_in_place() -> None:
    load = "32 %12 = @load_ubo ({}, {}) (access=none, align_mul=4, align_offset=0)"

    def loads(buffer: str, offset: str) -> Shader:
        return shader("VERTEX", ZERO, ONE, load.format(buffer, offset), store("VAR0", "%12"))

    before = Machine(loads("%0 (0x0)", "%0 (0x0)"))
    Readdressed(before, Subject([loads("%1 (0x1)", "%0 (0x0)")])).run(Environment(3), 64, RunOptions())
    other_offset = Readdressed(before, Subject([loads("%1 (0x1)", "%1 (0x1)")]))
    with pytest.raises(Unsupported, match="loads with other offsets"):
        other_offset.run(Environment(3), 64, RunOptions())


def test_memory_that_is_read_in_parts_of_words_only_keeps_its_contents() -> None:
    lines = (
        ZERO,
        "32 %1 = @load_local_invocation_index",
        "32x2 %3 = @vulkan_resource_index (%0) (desc_set=0, binding=2, desc_type=SSBO)",
        "32x2 %4 = @load_vulkan_descriptor (%3) (desc_type=SSBO)",
    )
    variable = shader(
        "COMPUTE",
        *lines,
        "32x2 %5 = deref_cast (A *)%4 (ssbo A)  (ptr_stride=0, align_mul=0, align_offset=0)",
        "32x2 %6 = deref_struct &%5->h (ssbo int16_t[])  // &((A *)%4)->h",
        "32x2 %7 = deref_array &(*%6)[%1] (ssbo int16_t)  // &((A *)%4)->h[%1]",
        "16 %8 = @load_deref (%7) (access=none)",
        "16 %9 = i2f16 %8",
        "@store_deref (%7, %9) (wrmask=x, access=none)",
        header=("workgroup_size: 32, 1, 1",),
    )
    offset = shader(
        "COMPUTE",
        *lines,
        "32 %10 = load_const (0x00000001)",
        "32 %11 = ishl %1, %10",
        "32 %12 = iadd %4.y, %11",
        "32 %13 = mov %4.x",
        "16 %8 = @load_ssbo (%13, %12) (access=none, align_mul=2, align_offset=0)",
        "16 %9 = i2f16 %8",
        "@store_ssbo (%9, %13, %12) (wrmask=x, access=none, align_mul=2, align_offset=0)",
        header=("workgroup_size: 32, 1, 1",),
    )
    snapshots = RunnableSnapshot(variable), RunnableSnapshot(offset)
    assert isinstance(compare_snapshots(*snapshots, "nir_lower_explicit_io").verdict, Unchecked)
