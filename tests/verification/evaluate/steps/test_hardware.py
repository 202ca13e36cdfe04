"""Exports and messages: any difference in them is one that counts."""

from __future__ import annotations

import pytest

from nirls.verification.compare.results import compare_results
from nirls.verification.evaluate.surroundings.result import OutputKey, ShaderResult
from tests.verification.evaluate.shader_text import VAR0, run, shader_of, store

EXPORT = "       @export_amd (%2) (base=12, wrmask=xy, flags=0)"
MESSAGE = "       @sendmsg_amd (%1) (base=9)"


def of(*lines: str, stage: str = "VERTEX") -> ShaderResult:
    body = "\n".join(f"    {line}" for line in lines)
    text = f"""
    block b0:   // preds:
    32     %0 = load_const (0x00000000)
    32     %1 = @load_subgroup_invocation
    32x2   %2 = vec2 %1, %0 (0x0)
{body}
                // succs: b99"""
    return run(shader_of(text, stage))


@pytest.mark.parametrize("stage", ["VERTEX", "GEOMETRY"])
@pytest.mark.parametrize(
    "changed",
    [
        (),
        ("       @export_amd (%2.yx) (base=12, wrmask=xy, flags=0)",),
        ("       @export_amd (%2) (base=13, wrmask=xy, flags=0)",),
        ("       @export_amd (%2) (base=12, wrmask=x, flags=0)",),
        (EXPORT, "       @export_amd (%2) (base=14, wrmask=x, flags=0)"),
    ],
)
def test_other_exports_are_a_difference(changed: tuple[str, ...], stage: str) -> None:
    if changed and "%2.yx" in changed[0]:
        changed = ("32x2   %3 = vec2 %0 (0x0), %1", changed[0].replace("%2.yx", "%3"))
    assert compare_results(of(EXPORT, stage=stage), of(EXPORT, stage=stage)) == []
    assert compare_results(of(EXPORT, stage=stage), of(*changed, stage=stage))


EXPORTS = (
    "       @export_amd (%2) (target=32, enabled_channels=1, flags=0)",
    "       @export_amd (%2) (target=33, enabled_channels=1, flags=0)",
)


@pytest.mark.parametrize(
    "changed",
    [
        EXPORTS[1:],
        (EXPORTS[0].replace("%2", "%3"), EXPORTS[1]),
        (EXPORTS[0].replace("channels=1", "channels=3"), EXPORTS[1]),
        (EXPORTS[1].replace("33", "34"), EXPORTS[0]),
    ],
)
def test_targets_and_channels_since_mesa_26(changed: tuple[str, ...]) -> None:
    swapped = "32x2   %3 = vec2 %0 (0x0), %1"
    undefined = ("32     %4 = undefined", "32x2   %5 = vec2 %1, %4")
    assert compare_results(of(swapped, *EXPORTS), of(swapped, *EXPORTS[::-1])) == []
    assert compare_results(of(swapped, *EXPORTS), of(swapped, *changed))
    # A channel that is not enabled is not compared, so that it may be undefined.
    partly = [line.replace("%2", "%5") for line in EXPORTS]
    assert compare_results(of(*undefined, *EXPORTS), of(*undefined, *partly)) == []


@pytest.mark.parametrize(
    "changed",
    [
        (),
        (MESSAGE,),
        (MESSAGE, MESSAGE, MESSAGE),
        (MESSAGE, "       @sendmsg_amd (%0 (0x0)) (base=9)"),
        ("       @sendmsg_amd (%1) (base=8)", MESSAGE),
    ],
)
def test_messages_count_in_number_and_order(changed: tuple[str, ...]) -> None:
    assert compare_results(of(MESSAGE, MESSAGE), of(MESSAGE, MESSAGE)) == []
    assert compare_results(of(MESSAGE, MESSAGE), of(*changed))


def test_sizes_of_what_is_made() -> None:
    made = "       @set_vertex_and_primitive_count (%1, %0 (0x0), %0 (0x0)) (stream_id=0)"
    other = "       @set_vertex_and_primitive_count (%0 (0x0), %1, %0 (0x0)) (stream_id=0)"
    assert compare_results(of(made), of(made)) == []
    assert compare_results(of(made), of(other))


def test_a_color_of_dual_sources_counts_where_its_mask_says() -> None:
    other = ("32x2   %3 = vec2 %1, %1", "32x2   %4 = vec2 %0, %1")
    export = "       @export_dual_src_blend_amd (%2, %2) (write_mask={})"
    for number, is_equal in ((3, True), (4, False)):
        changed = export.format("x").replace("%2,", f"%{number},")
        assert (compare_results(of(*other, export.format("x")), of(*other, changed)) == []) is is_equal
    assert compare_results(
        of(*other, export.format("xy")), of(*other, export.format("xy").replace("%2,", "%3,"))
    )


def test_outputs_behind_the_export_of_a_vertex_are_lost() -> None:
    export = "       @export_vertex_amd"
    early, late = of(store("1", "0").strip(), export), of(export, store("1", "0").strip())
    assert compare_results(early, of(store("1", "0").strip(), export)) == []
    assert compare_results(early, late)
    assert OutputKey(VAR0, 0) not in late.outputs
