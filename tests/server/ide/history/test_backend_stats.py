"""Statistics as back ends of Mesa 26.2 print them, and those of releases before from Mesa's sources."""

from __future__ import annotations

import pytest

from nirls.ir.model.stage import Stage
from nirls.server.ide.history.backend_stats import PREFIX, BackendStats, backend_stats

INTEL = """\
Native code for unnamed fragment shader (null) (src_hash 0x3e5efab904cd36a0)
SIMD16 shader: 152 instructions. 1 loops. 13096 cycles. 0:2 spills:fills, 12 sends, \
scheduled with mode top-down. Promoted 3 constants. \
GRF registers: 128. Non-SSA regs (after NIR): 32. Compacted 2672 to 2384 bytes (11%)
"""
IR3 = """\
; BVERT prog 21/1: 32 instr, 5 nops, 27 non-nops, 3 mov, 0 cov, 64 dwords
; BVERT prog 21/1: 16 max_waves, 0 double_threadsize
; 9 preamble-instr, 1 early-preamble

; FRAG prog 22/1: 12 instr, 2 nops
"""
RADV = """\
Pixel Shader:
*** SHADER STATS ***
Driver pipeline hash: 6907722618512568062
SGPRs: 108

Code size: 764
Hash: 1110249971
********************
VALU: 3
"""
NVK = """\
} -> []

Stage: tessellation control
Instruction count: 90
Static cycle count: 574
Header:
  00020881 1d000000
"""


def plain(text: str) -> list[tuple[Stage | None, str, str, dict[str, float]]]:
    return [
        (*_where(one), {name.removeprefix(PREFIX): count for name, count in one.counts.items()})
        for one in backend_stats(text)
    ]


def _where(one: BackendStats) -> tuple[Stage | None, str, str]:
    return one.stage, one.identity, one.variant


def test_intel() -> None:
    assert plain(INTEL) == [
        (
            Stage.FRAGMENT,
            "",
            "SIMD16",
            {
                "instructions": 152, "loops": 1, "cycles": 13096, "spills": 0, "fills": 2, "sends": 12,
                "grf registers": 128, "non-ssa regs (after nir)": 32, "code bytes": 2384,
            },
        )
    ]  # fmt: skip


def test_several_lines_of_one_program() -> None:
    vertex, fragment = plain(IR3)
    assert vertex[:3] == (Stage.VERTEX, "", "BIN")
    assert vertex[3]["instructions"] == 32
    assert vertex[3]["max_waves"] == 16
    assert fragment == (Stage.FRAGMENT, "", "", {"instructions": 12, "nops": 2})


def test_blocks() -> None:
    assert plain(RADV) == [(Stage.FRAGMENT, "", "", {"sgprs": 108, "code size": 764})]
    assert plain(NVK) == [
        (Stage.TESS_CTRL, "", "", {"instructions": 90, "static cycle count": 574}),
    ]


@pytest.mark.parametrize(
    ("line", "stage", "identity", "variant", "counts"),
    [
        (
            "SHADER-DB-GLSL1 - MESA_SHADER_VERTEX_BIN shader: 44 inst, 4 threads, 0:1 spills:fills",
            *(Stage.VERTEX, "GLSL1", "BIN"),
            {"instructions": 44, "threads": 4, "spills": 0, "fills": 1},
        ),
        (
            "shader3 - MESA_SHADER_FRAGMENT shader: 10 inst, 5 bundles, 12 quadwords, 4 registers, 4 threads",
            *(Stage.FRAGMENT, "shader3", ""),
            {"instructions": 10, "bundles": 5, "quadwords": 12, "registers": 4, "threads": 4},
        ),
        (
            "MESA_SHADER_FRAGMENT shader: 14 inst, 0.250000 cycles, 0.125000 fma, 2 quadwords, 2 threads",
            *(Stage.FRAGMENT, "", ""),
            {"instructions": 14, "cycles": 0.25, "fma": 0.125, "quadwords": 2, "threads": 2},
        ),
        (
            "shaders/a/1.shader_test - FS SIMD8 shader: 39 inst, 0 loops, 162 cycles",
            *(Stage.FRAGMENT, "shaders/a/1.shader_test", "SIMD8"),
            {"instructions": 39, "loops": 0, "cycles": 162},
        ),
        (
            "VS vec4 shader: 50 instructions. 0 loops. 102 cycles. 0:0 spills:fills, 3 sends. "
            "Compacted 800 to 512 bytes (36%)",
            *(Stage.VERTEX, "", "vec4"),
            {
                "instructions": 50, "loops": 0, "cycles": 102, "spills": 0, "fills": 0, "sends": 3,
                "code bytes": 512,
            },
        ),
        ("SHADER-DB: FS prog 1/2: 12 instructions", Stage.FRAGMENT, "", "", {"instructions": 12}),
        (
            "Shader Stats: SGPRS: 16 VGPRS: 8 Code Size: 40 LDS: 0 Scratch: 0 Max Waves: 10",
            *(None, "", ""),
            {"sgprs": 16, "vgprs": 8, "code size": 40, "lds": 0, "scratch": 0, "max waves": 10},
        ),
        (
            "bytecode 158 dw -- 8 gprs -- 1 nstack -------------",
            *(None, "", ""),
            {"dw": 158, "gprs": 8, "nstack": 1},
        ),
    ],
)  # fmt: skip
def test_lines(line: str, stage: Stage | None, identity: str, variant: str, counts: dict[str, float]) -> None:
    assert plain(f"log\n{line}\nmore\n") == [(stage, identity, variant, counts)]


@pytest.mark.parametrize(
    "text",
    [
        "", "shader: MESA_SHADER_VERTEX\n", "Stage: vertex\nmore\n", "compiling shader: 3 times\n",
        "nir_opt_dce: 3 instructions, 4 removed\n", "*** SHADER STATS ***\n", "Stage: x\nA: 0x10\n",
    ],
)  # fmt: skip
def test_other_text_has_none(text: str) -> None:
    assert backend_stats(text) == []


def test_lines_are_told() -> None:
    assert [one.line for one in backend_stats("x\n" + INTEL)] == [2]
