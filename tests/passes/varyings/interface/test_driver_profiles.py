"""Driver profiles: their values, the pair of stages they apply to, and their detection."""

from __future__ import annotations

import pytest

from nirls.ir.model.shader import Shader
from nirls.passes.link_potential.link_potential import LinkPotential
from nirls.passes.varyings.interface.accesses import Linkage, Unlinkable
from nirls.passes.varyings.interface.driver_profiles import (
    DRIVER_PROFILES,
    NAMES,
    CostLimits,
    detect,
    detect_in_log,
    profile_named,
)
from nirls.passes.varyings.interface.link_options import LinkOptions
from nirls.passes.varyings.opt_varyings import OptVaryings
from nirls.passes.varyings.opt_varyings_dead_io import OptVaryingsDeadIo
from tests.passes.shader_text import ONE, ZERO, shader, store
from tests.passes.varyings.pairs import fragment, interface_of, interpolated, vertex

UNLIMITED = None


def with_header(stage: str, *fields: str) -> Shader:
    return shader(stage, ZERO, header=fields)


@pytest.mark.parametrize(
    ("driver", "stage", "fields", "limit"),
    [
        ("generic", "FRAGMENT", (), UNLIMITED),
        ("radeonsi", "FRAGMENT", (), 12),
        ("radv", "TESS_EVAL", (), 12),
        ("radv", "TESS_CTRL", (), UNLIMITED),
        ("radv", "GEOMETRY", ("vertices_in: 1",), UNLIMITED),
        ("radv", "GEOMETRY", ("vertices_in: 2",), 20),
        ("radv", "GEOMETRY", ("vertices_in: 3",), 14),
        ("radv", "GEOMETRY", (), 14),
        ("zink", "FRAGMENT", (), 14),
        ("anv", "FRAGMENT", (), 0),
        ("iris", "TESS_CTRL", (), 0),
        ("turnip", "GEOMETRY", ("vertices_in: 1",), 0),
        ("panfrost", "FRAGMENT", (), 0),
        ("nvk", "FRAGMENT", (), 0),
    ],
)
def test_cost_limit_of_a_pair(driver: str, stage: str, fields: tuple[str, ...], limit: int | None) -> None:
    producer = with_header("TESS_CTRL" if stage == "TESS_EVAL" else "VERTEX")
    options = LinkOptions(driver=driver).for_pair(producer, with_header(stage, *fields))
    assert options.cost_limit == limit


def test_values_as_text() -> None:
    rows = {name: value for name, value, _ in profile_named("radeonsi").rows()}
    assert (rows["flexible_interpolation"], rows["spirv"], rows["max_ubos"]) == ("yes", "no", "15")
    assert str(CostLimits.of(4)) == "4"
    assert str(CostLimits.of({"fragment": 4, "points": 5})) == (
        "FS 4, TES no limit, TCS no limit, GS 5 / no limit / no limit"
    )


def test_values_reach_the_steps() -> None:
    pair = vertex(store("VAR0")), fragment(interpolated(4, "VAR0"))
    amd = interface_of(*pair, LinkOptions(driver="radeonsi")).options
    assert (amd.flexible_interpolation, amd.supports_16bit_io, amd.rotate_colors) == (True, True, True)
    assert (amd.max_uniform_components, amd.max_ubos, amd.coordinate_replacement) == (16384, 15, True)
    vulkan = interface_of(*pair, LinkOptions(driver="nvk")).options
    assert (vulkan.flexible_interpolation, vulkan.supports_16bit_io, vulkan.spirv) == (False, False, True)
    assert vulkan.applied is not None
    assert vulkan.applied.text == "nvk (set)"
    assert vulkan.for_pair(*pair) is vulkan


def test_generic_has_the_defaults_of_the_options() -> None:
    pair = vertex(), fragment()
    options = LinkOptions()
    resolved = options.for_pair(*pair)
    assert [getattr(resolved, one.name) for one in OptVaryings.options() if one.name != "clean_up"] == [
        getattr(options, one.name) for one in OptVaryings.options() if one.name != "clean_up"
    ]


def test_options_that_are_given_override_the_profile() -> None:
    pair = vertex(), fragment()
    given = OptVaryings.with_options({"driver": "radv", "max_cost": "-1", "rotate_colors": "false"})
    assert given.for_pair(*pair).cost_limit is None
    assert not given.for_pair(*pair).rotate_colors
    assert given.for_pair(*pair).flexible_interpolation
    potential = LinkPotential.with_options({"driver": "radv", "max_ubos": 15})
    assert potential.for_pair(*pair).max_ubos == 15
    assert LinkOptions(driver="radv", max_cost=3).for_pair(*pair).cost_limit == 3


def test_every_value_has_a_source() -> None:
    for profile in DRIVER_PROFILES:
        assert all(value and source for _, value, source in profile.rows())
    assert len(set(NAMES)) == len(NAMES) == 18
    assert str(CostLimits.of({})) == "no limit"
    assert (
        str(profile_named("radv").cost_limits.value) == "FS 12, TES 12, TCS no limit, GS no limit / 20 / 14"
    )


GL = b"name: GLSL3\n"


@pytest.mark.parametrize(
    ("text", "driver"),
    [
        (b"%1 = @load_smem_amd (%0)", "radv"),
        (GL + b"%1 = @load_smem_amd (%0)", "radeonsi"),
        (b"%1 = @load_ubo_uniform_block_intel (%0)", "anv"),
        (GL + b"%1 = @load_ubo_uniform_block_intel (%0)", "iris"),
        (b"%1 = @load_const_ir3 (%0)", "turnip"),
        (b"vec1 32 ssa_1 = intrinsic ldc_nv (ssa_0)", "nvk"),
        (GL + b"%1 = @load_blend_descriptor_pan (%0)", "panfrost"),
        (GL + b"%1 = @load_const_ir3 (%0)", "generic"),
        (b"decl_var uniform INTERP_MODE_NONE none vec4 my_amd (0, 0, 0)", "generic"),
        (b"%1 = @load_input (%0)", "generic"),
        (b"%1 = @load_blend_descriptor_pan (%0)", "panvk"),
        (b"@store_tlb_sample_color_v3d (%0)", "v3dv"),
        (GL + b"@store_tlb_sample_color_v3d (%0)", "v3d"),
        (GL + b"%1 = @load_coefficients_agx (%0)", "asahi"),
        (b"@store_tf_r600 (%0)", "r600"),
        (b"%1 = @load_ptr_dxil (%0)", "dozen"),
    ],
)
def test_detection_in_a_dump(text: bytes, driver: str) -> None:
    assert detect([b"nothing", text]).profile.name == driver


@pytest.mark.parametrize(
    ("words", "driver"),
    [
        (b"GL AMD Radeon RX 7900 XTX (radeonsi, navi31, ACO, DRM 3.64)", "radeonsi"),
        (b"device AMD Radeon Graphics (RADV GFX1201)", "radv"),
        (b"GL zink Vulkan 1.4(llvmpipe (LLVM 22.1.8, 256 bits) (MESA_LLVMPIPE))", "zink"),
        (b"GL zink Vulkan 1.4 (AMD Radeon (RADV NAVI31))", "zink"),
        (b"GL Mesa Intel(R) Iris(R) Xe Graphics (TGL GT2)", "iris"),
        (b"MESA-INTEL: warning: this is ANV", "anv"),
        (b"device Turnip Adreno (TM) 750", "turnip"),
        (b"device NVK ", "nvk"),
        (b"Mali-G52 (Panfrost)", "panfrost"),
        (b"llvmpipe (LLVM 22)", None),
        (b"MESA-INTEL: warning: Haswell Vulkan support is incomplete", "hasvk"),
        (b"RENDERER Intel(R) HD Graphics (BDW GT3) api 1.3", "hasvk"),
        (b"Mesa Intel(R) HD Graphics (HSW GT3) | 4.6 (Core Profile) Mesa 22.3.6", "crocus"),
        (b"GL Mesa Intel(R) HD Graphics (BDW GT3)", "iris"),
        (b"nir_opt_dce\nr600_nir_lower_trigen\n", "r600"),
        (b"bytecode 192 dw -- 8 gprs -- 0 nstack ----", "r600"),
        (b"dxil_spirv_nir_lower_shader_system_values\n", "dozen"),
        (b"lvp_build_something\n", "lavapipe"),
        (b"lvp_build_something: 1 of 2\n", None),
    ],
)
def test_detection_in_a_log(words: bytes, driver: str | None) -> None:
    found = detect_in_log(words, [])
    assert (found and found.profile.name) == driver


def test_a_dump_of_the_log_decides_if_no_word_does() -> None:
    found = detect_in_log(b"frame 1", [b"@load_input (%0)", b"@load_smem_amd (%0)"])
    assert found is not None
    assert found.text == "radv (the dump has load_smem_amd)"


DEAD = shader("VERTEX", ZERO, ONE, store("VAR0"), header=("separate_shader: true",))
READER = shader("FRAGMENT", ZERO)


@pytest.mark.parametrize(
    ("first", "second", "driver", "links"),
    [
        ((), (), "generic", True),
        (("separate_shader: true",), (), "generic", False),
        ((), ("separate_shader: true",), "generic", False),
        (("separate_shader: false",), (), "generic", True),
        # RADV sets the field always, and names the stages that it compiles together.
        (("separate_shader: true",), ("separate_shader: true",), "radv", False),
        (
            ("separate_shader: true", "next_stage: MESA_SHADER_FRAGMENT"),
            ("separate_shader: true", "prev_stage: MESA_SHADER_VERTEX"),
            "radv",
            True,
        ),
        (
            ("separate_shader: true", "next_stage: MESA_SHADER_FRAGMENT"),
            ("separate_shader: true", "prev_stage: MESA_SHADER_VERTEX"),
            "radeonsi",
            False,
        ),
    ],
)
def test_separate_shaders(first: tuple[str, ...], second: tuple[str, ...], driver: str, links: bool) -> None:
    def pair() -> list[Shader]:
        return [shader("VERTEX", ZERO, ONE, store("VAR0"), header=first), with_header("FRAGMENT", *second)]

    for declared in (OptVaryings(driver=driver), OptVaryingsDeadIo(driver=driver)):
        assert isinstance(declared.link(*pair()), Linkage) is links
        assert bool(declared.run(pair())) is links
        codes = {found.code for found in OptVaryingsDeadIo(driver=driver).find(pair())}
        assert ("separate-shader" in codes) is not links
    assert isinstance(LinkPotential(driver=driver).link(*pair()), Unlinkable) is not links


def test_float_controls_of_the_header() -> None:
    nans = ("float_controls_execution_mode: 0x00000080",)
    options = LinkOptions().for_pair(with_header("VERTEX", *nans), with_header("FRAGMENT", *nans))
    assert [options.preserves_nans(size) for size in (16, 32, 64)] == [False, True, False]
    assert [options.preserves_specials(size) for size in (16, 32, 64)] == [False, True, False]
    assert options.move_code
    options = LinkOptions().for_pair(with_header("VERTEX", *nans), with_header("FRAGMENT"))
    assert options.preserves_nans(32)
    infs = ("float_controls_execution_mode: 0x00000008",)
    options = LinkOptions().for_pair(with_header("VERTEX", *infs), with_header("FRAGMENT", *infs))
    assert [options.preserves_specials(size) for size in (16, 32, 64)] == [True, False, False]
    assert not options.preserves_nans(16)
    flushing = ("float_controls_execution_mode: 0x00002000",)
    options = LinkOptions().for_pair(with_header("VERTEX", *flushing), with_header("FRAGMENT"))
    # Code that moved would be computed under other rules.
    assert (options.move_code, options.move_forward, options.cost_limit) == (False, False, 0)


@pytest.mark.parametrize(
    ("words", "gl", "vulkan"),
    [
        (b"v3d_nir_lower_io\n", "v3d", "v3dv"),
        (b"bifrost_nir_lower_algebraic_late\n", "panfrost", "panvk"),
        (b"agx_nir_lower_texture\n", "asahi", None),
    ],
)
def test_the_pass_of_a_compiler_and_the_header_tell_the_driver(
    words: bytes, gl: str, vulkan: str | None
) -> None:
    for dump, driver in ((GL, gl), (b"shader: MESA_SHADER_VERTEX\n", vulkan)):
        found = detect_in_log(words, [dump])
        assert (found and found.profile.name) == driver
