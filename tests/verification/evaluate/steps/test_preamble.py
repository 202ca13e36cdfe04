"""Preambles: they run before the entry point and hand values on."""

from __future__ import annotations

import pytest

from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from nirls.verification.evaluate.machine import Machine
from nirls.verification.evaluate.surroundings.result import OutputKey
from nirls.verification.evaluate.values.errors import Unsupported
from nirls.verification.snapshots import RunnableSnapshot, compare_snapshots
from nirls.verification.verdict import Different, Equivalent, Unchecked
from nirls.verification.verify_shaders import verify_shaders
from tests.verification.evaluate.shader_text import VAR0, run, stored

UBO = "@load_ubo (%0, %0) (access=none, align_mul=16, align_offset=0, range_base=0, range=16)"
HANDED_ON = "32x2 %1 = @load_preamble () (base=4)"


STORE = (
    "@store_output (%1, %0) (base=0, wrmask=xy, component=0, src_type=float32,"
    " io location=VARYING_SLOT_VAR0 slots=1)"
)


def shader(value: str, *preamble: str, function: str = "@preamble") -> Shader:
    """A vertex shader that stores the components of %1, with a preamble if it has lines."""
    main = ("32 %0 = load_const (0x00000000)", value, STORE)
    dump = "shader: MESA_SHADER_VERTEX\ndecl_function main () (entrypoint)\n"
    dump += _body("main", main, f"preamble {function}\n" if preamble else "")
    if preamble:
        dump += "decl_function @preamble ()\n" + _body("@preamble", preamble)
    return parse_dump(dump.encode())


def _body(name: str, lines: tuple[str, ...], head: str = "") -> str:
    text = "\n    ".join(lines)
    return f"impl {name} {{\n{head}block b0:  // preds:\n    {text}\n    // succs: b1\nblock b1:\n}}\n"


def filled(value: str) -> tuple[str, ...]:
    return "32 %0 = load_const (0x00000000)", value, "@store_preamble (%1) (base=4)"


def test_the_entry_point_loads_what_the_preamble_stores() -> None:
    result = run(shader(HANDED_ON, *filled("32x2 %1 = load_const (0x00000007, 0x00000008)")))
    assert (set(stored(result)), set(stored(result, 1))) == ({7}, {8})


def test_a_computation_moves_to_the_preamble() -> None:
    before = shader(f"32x2 %1 = {UBO}")
    assert isinstance(verify_shaders(before, shader(HANDED_ON, *filled(f"32x2 %1 = {UBO}"))), Equivalent)
    other = filled(
        f"32x2 %1 = {UBO}".replace("(%0, %0)", "(%0, %2)").replace("32x2", "32 %2 = load_const (0x8)\n32x2")
    )
    assert isinstance(verify_shaders(before, shader(HANDED_ON, *other)), Different)


def test_the_preambles_of_two_shaders_are_compared() -> None:
    one, other = (
        shader(HANDED_ON, *filled(f"32x2 %1 = load_const ({last}, 0x8)")) for last in ("0x7", "0x6")
    )
    assert isinstance(verify_shaders(one, other), Different)


def test_a_component_that_is_not_stored_is_undefined() -> None:
    result = run(shader(HANDED_ON, *filled("32 %1 = load_const (0x00000007)")))
    assert set(stored(result)) == {7}
    assert result.outputs[OutputKey(VAR0, 1)].poison.all()


def test_a_preamble_that_is_missing() -> None:
    with pytest.raises(Unsupported, match="without its preamble @other"):
        Machine(shader(HANDED_ON, *filled("32x2 %1 = undefined"), function="@other"))


def test_what_no_preamble_stores_is_a_value_of_the_driver() -> None:
    loads = shader(HANDED_ON)
    stored_elsewhere = shader(HANDED_ON, *filled("32x2 %1 = undefined")[:2], "@store_preamble (%1) (base=6)")
    assert isinstance(verify_shaders(loads, stored_elsewhere), Equivalent)
    assert isinstance(verify_shaders(loads, shader(HANDED_ON.replace("base=4", "base=5"))), Different)
    assert len(set(stored(run(loads)))) == 1, "it is the same for all invocations"


@pytest.mark.parametrize(("before", "verdict"), [(f"32x2 %1 = {UBO}", Unchecked), (HANDED_ON, Equivalent)])
def test_a_preamble_of_another_dump_may_store_anything(before: str, verdict: type) -> None:
    sides = [RunnableSnapshot(shader(value)) for value in (before, HANDED_ON)]
    assert isinstance(compare_snapshots(*sides, "agx_nir_opt_preamble").verdict, verdict)
