from __future__ import annotations

import pytest

from nirls.ir.io.backend import BackendAccess, backend_access
from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.slots import FRAG_RESULTS, varying_slot
from nirls.ir.model.stage import Stage
from nirls.ir.text.parse import parse_dump

VS, FS, TCS = Stage.VERTEX, Stage.FRAGMENT, Stage.TESS_CTRL


def access(line: str, stage: Stage) -> BackendAccess | None:
    text = (
        f"shader: {stage.mesa_name}\nimpl main {{\n    block b0:\n    32    %0 = load_const (0x00000000)\n"
        f"    32    %7 = undefined\n    {line}\n}}\n"
    )
    (impl,) = parse_dump(text.encode()).impls()
    instr = next(one for one in impl.instrs() if isinstance(one, IntrinsicInstr))
    return backend_access(instr, stage)


@pytest.mark.parametrize(
    ("line", "stage", "slot", "components"),
    [
        ("@ast_nv (%7, %0, %0) (base=112, range_base=112, range=4, flags=1)", VS, "POS", (0,)),
        ("@ast_nv (%7, %0, %0) (base=132, range_base=132, range=4, flags=1)", VS, "VAR0", (1,)),
        ("@ast_nv (%7, %0, %0) (base=32, range_base=32, range=4, flags=3)", TCS, "PATCH0", (0,)),
        ("@ast_nv (%7, %0, %0) (base=112, range_base=112, range=4, flags=3)", TCS, "PATCH5", (0,)),
        ("32x2  %1 = @ald_nv (%0, %0) (base=168, range_base=160, range=8, flags=0)", TCS, "VAR2", (2, 3)),
        ("32    %1 = @ipa_nv (%0, %0) (base=144, flags=0)", FS, "VAR1", (0,)),
        ("32    %1 = @ipa_nv (%0, %0) (base=1020, flags=10)", FS, "FACE", (0,)),
        ("@export_amd (%7) (target=12, enabled_channels=15, flags=2)", VS, "POS", (0, 1, 2, 3)),
    ],
)
def test_varying_slots(line: str, stage: Stage, slot: str, components: tuple[int, ...]) -> None:
    found = access(line, stage)
    assert found is not None
    assert (found.slot, found.components, found.num_slots) == (varying_slot(slot), components, 1)


@pytest.mark.parametrize(
    ("line", "result", "components"),
    [
        ("@fs_out_nv (%7) (base=20)", "DATA1", (1,)),
        ("@fs_out_nv (%7) (base=132)", "DEPTH", (0,)),
        ("@fs_out_nv (%7) (base=128)", "SAMPLE_MASK", (0,)),
        ("@export_amd (%7) (target=2, enabled_channels=3, flags=0)", "DATA2", (0, 1)),
        ("@export_amd (%7) (target=8, enabled_channels=1, flags=0)", "DEPTH", (0,)),
    ],
)
def test_fragment_results(line: str, result: str, components: tuple[int, ...]) -> None:
    found = access(line, FS)
    assert found is not None
    assert (found.slot, found.components) == (FRAG_RESULTS.index(result), components)


@pytest.mark.parametrize(
    ("line", "stage"),
    [
        ("32    %1 = @ald_nv (%0, %0) (base=128, range_base=128, range=4, flags=0)", VS),
        ("32    %1 = @ipa_nv (%0, %7) (base=144, flags=0)", FS),
        ("@export_amd (%7) (target=13, enabled_channels=1, flags=0)", VS),
        ("@export_amd (%7) (target=33, enabled_channels=15, flags=0)", VS),
        ("@store_urb_vec4_intel (%7, %7, %7, %7) (base=2)", VS),
        ("@ast_nv (%7, %0, %0) (base=4000, range_base=4000, range=4, flags=1)", VS),
    ],
)
def test_accesses_whose_numbers_tell_no_slot(line: str, stage: Stage) -> None:
    assert access(line, stage) is None


def test_lanes_of_an_export_are_its_channels() -> None:
    found = access("@export_amd (%7) (target=2, enabled_channels=10, flags=0)", FS)
    assert found is not None
    assert (found.component, found.lanes, found.components) == (0, (1, 3), (1, 3))
