from __future__ import annotations

from nirls.server.engine.timeline.dump_digest import DumpDigest
from nirls.server.engine.timeline.restarts import start_of_restart

HEAD = (
    "shader: MESA_SHADER_VERTEX\n"
    "decl_var shader_out INTERP_MODE_NONE none float v (VARYING_SLOT_VAR0.x, 0, 0)\n"
    "impl main {\n    block b0:\n"
)
CODE = "".join(f"    32 %{number} = fadd %{number - 1}, %0\n" for number in range(1, 5))
VIEWPORT = "".join(f"    32 %{number} = fmul %{number - 1}, %4\n" for number in range(5, 20))
DEREF = "    32 %90 = deref_var &v (shader_out float)\n    @store_deref (%90, %4) (wrmask=x, access=none)\n"
SLOT = (
    "    @store_output (%4, %0 (0x0)) (base=0, wrmask=x, component=0, "
    "io location=VARYING_SLOT_VAR0 slots=1)\n"
)


def digest(*code: str) -> DumpDigest:
    return DumpDigest((HEAD + "".join(code) + "}\n").encode())


def start(
    *snapshots: DumpDigest,
    pass_name: str = "nir_x",
    behind: dict[int, set[str]] | None = None,
    can_make: bool = False,
) -> object:
    last = len(snapshots) - 1
    return start_of_restart(range(last), last, pass_name, snapshots, behind or {}, can_make=can_make)


def test_variables_after_lowered_io_start_from_the_likest_snapshot_with_variables() -> None:
    early, late = digest(CODE, "    32 %91 = fsin %4\n", DEREF), digest(CODE, DEREF)
    lowered = digest(CODE, VIEWPORT, SLOT)
    assert start(early, late, lowered, digest(CODE, DEREF)) == 1
    assert start(early, late, lowered, digest(CODE, VIEWPORT, SLOT)) is None


def test_a_pass_that_makes_variables_again_is_no_restart() -> None:
    unlike = digest(CODE, "    32 %91 = fsin %4\n", DEREF)
    assert start(unlike, digest(CODE, SLOT), digest(CODE, DEREF)) is None
    assert start(digest(CODE, DEREF), digest(CODE, SLOT), digest(CODE, DEREF)) is None


def test_the_same_pass_behind_a_likely_snapshot_is_a_restart_only_backwards() -> None:
    clone, late = digest(CODE, SLOT), digest(CODE, VIEWPORT, SLOT)
    variant = digest(CODE, "    32 %91 = fsin %4\n", SLOT)
    behind = {0: {"nir_lower_tex"}}
    late_again = digest(CODE, VIEWPORT, "    32 %91 = fcos %4\n", SLOT)
    assert start(clone, late, late_again, variant, pass_name="nir_lower_tex", behind=behind) == 0
    assert start(clone, late, late_again, variant, pass_name="nir_lower_y", behind=behind) is None
    # The last snapshot is like one in front of that.
    forward = {1: {"nir_lower_tex"}}
    assert start(clone, late, clone, late_again, pass_name="nir_lower_tex", behind=forward) is None


def test_a_small_change_is_no_restart() -> None:
    clone, late = digest(CODE, SLOT), digest(CODE, "    32 %91 = fsin %4\n", SLOT)
    assert start(clone, late, late, clone, pass_name="nir_x", behind={0: {"nir_x"}}) is None


def test_a_large_change_that_the_pass_can_make_is_no_restart() -> None:
    first, unrolled = digest(CODE, SLOT), digest(CODE, VIEWPORT, SLOT)
    behind = {0: {"nir_opt_dce"}}
    more = digest(CODE, VIEWPORT, "    32 %91 = fcos %4\n", SLOT)
    clean = digest(CODE, SLOT)
    assert start(first, unrolled, more, clean, pass_name="nir_opt_dce", behind=behind, can_make=True) is None
    assert start(first, unrolled, more, clean, pass_name="nir_opt_dce", behind=behind) == 0
