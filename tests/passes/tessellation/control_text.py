"""Control shaders in short: the I/O of a body written as `out VAR0.x [%2] = %4`, and so on.

`%3 = in VAR0.x [%2]` loads an input of a vertex, `%3 = load VAR0.x [%2]` an output of one, and
`%3 = load OUTER.x` an output of the patch; `out VAR0.x [%2] = %4` and `patch OUTER.x = %4` store. `%0` must
be 0. `barrier` is one for the outputs of the patch.
"""

from __future__ import annotations

import re

from nirls.ir.analysis.assumptions import Assumptions
from nirls.ir.analysis.tessellation import CullingRule, PrimitiveMode, Spacing
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.control_flow import FunctionImpl, If
from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.shader import Shader
from nirls.verification.options import VerificationOptions
from nirls.verification.verdict import Equivalent
from nirls.verification.verify_shaders import verify_shaders
from tests.passes.expectation import assert_valid, parse_body
from tests.passes.tessellation.patches import reread

BARRIER = (
    "@barrier (execution_scope=WORKGROUP, memory_scope=WORKGROUP, mem_semantics=ACQ|REL,"
    " mem_modes=shader_out)"
)
TRIANGLES = CullingRule(PrimitiveMode.TRIANGLES, Spacing.EQUAL)
HEADER = "tcs_vertices_out: 3\nprimitive_mode: 1\nspacing: 1"

_LINE = re.compile(
    r"(?:%(?P<result>\d+) = )?(?P<word>in|load|out|patch) (?P<slot>\w+)\.(?P<lane>[xyzw])"
    r"(?: \[(?P<vertex>%\d+)\])?(?: = (?P<value>%\d+))?$"
)
_SLOTS = {"OUTER": "TESS_LEVEL_OUTER", "INNER": "TESS_LEVEL_INNER"}


def expand(body: str) -> str:
    """The body as NIR."""
    return "\n".join(_expanded(line) for line in body.splitlines())


def control(body: str, header: str = HEADER) -> Shader:
    """A control shader of triangles with equal spacing."""
    return parse_body(expand(body), "TESS_CTRL", header)


def assert_same_patches(before: Shader, after: Shader, rule: CullingRule = TRIANGLES) -> None:
    """The result, by way of its text, must be valid and do the same for patches that are not culled."""
    assert_valid(after)
    (again,) = reread([before], [after])
    verdict = verify_shaders(before, again, VerificationOptions(assumptions=Assumptions(culling=rule)))
    assert isinstance(verdict, Equivalent), str(verdict)


def guard_of(shader: Shader) -> If:
    """The last if at the top level."""
    impl = entry(shader)
    return next(node for node in reversed(impl.body) if isinstance(node, If))


def entry(shader: Shader) -> FunctionImpl:
    impl = shader.entrypoint
    assert impl is not None
    return impl


def intrinsics(shader: Shader, *names: str) -> list[IntrinsicInstr]:
    return [
        instr for instr in entry(shader).instrs() if isinstance(instr, IntrinsicInstr) and instr.name in names
    ]


def copy(shader: Shader) -> Shader:
    return clone_shader(shader)


def _expanded(line: str) -> str:
    text = line.strip()
    margin = line[: len(line) - len(line.lstrip())]
    if text == "barrier":
        return f"{margin}{BARRIER}"
    found = _LINE.match(text)
    if found is None:
        return line
    part = found.groupdict()
    slot = _SLOTS.get(part["slot"], part["slot"])
    lane = "xyzw".index(part["lane"])
    vertex = f"{part['vertex']}, " if part["vertex"] else ""
    of_vertex = "per_vertex_" if part["vertex"] else ""
    place = f"io location=VARYING_SLOT_{slot} slots=1"
    if part["word"] in ("in", "load"):
        side = "input" if part["word"] == "in" else "output"
        return (
            f"{margin}32 %{part['result']} = @load_{of_vertex}{side} ({vertex}%0) (base=0, range=1,"
            f" component={lane}, dest_type=float32, {place})"
        )
    xfb = "" if of_vertex else ", xfb(), xfb2()"
    return (
        f"{margin}@store_{of_vertex}output ({part['value']}, {vertex}%0) (base=0, range=1, wrmask=x,"
        f" component={lane}, src_type=float32, {place}{xfb})"
    )
