"""Small pairs of linked stages for the tests of opt_varyings."""

from __future__ import annotations

from nirls.ir.model.instructions import IntrinsicInstr
from nirls.ir.model.shader import Shader
from nirls.passes.varyings.interface.link_options import LinkOptions
from nirls.passes.varyings.interface.reader import read_interface
from nirls.passes.varyings.interface.scalar_slots import Interface
from tests.passes.shader_text import ONE, ZERO, shader

UNIFORM = (
    "32    %8 = deref_var &u (uniform vec4)",
    "32x4  %9 = @load_deref (%8) (access=none)",
)
DECLARED = ("decl_var uniform INTERP_MODE_NONE none vec4 u (0, 0, 0)",)
OPTIONS = LinkOptions()


def vertex(*lines: str, stage: str = "VERTEX") -> Shader:
    """A producer with the attributes %10, %11, %12 and the vec4 uniform %9."""
    attributes = [
        f"32    %{10 + component} = @load_input (%0 (0x0)) (base=0, range=1, component={component},"
        " dest_type=float32, io location=VERT_ATTRIB_GENERIC0 slots=1)"
        for component in range(3)
    ]
    return shader(stage, ZERO, ONE, *UNIFORM, *attributes, *lines, header=DECLARED)


def fragment(*lines: str) -> Shader:
    """A fragment shader with perspective pixel coordinates in %2 and centroid ones in %3."""
    return shader(
        "FRAGMENT",
        ZERO,
        ONE,
        "32x2  %2 = @load_barycentric_pixel (interp_mode=INTERP_MODE_SMOOTH)",
        "32x2  %3 = @load_barycentric_centroid (interp_mode=INTERP_MODE_SMOOTH)",
        *lines,
    )


def interpolated(number: int, slot: str, component: int = 0, coordinates: int = 2) -> str:
    return (
        f"32    %{number} = @load_interpolated_input (%{coordinates}, %0 (0x0)) (base=0,"
        f" component={component}, dest_type=float32, io location=VARYING_SLOT_{slot} slots=1)"
    )


def interface_of(producer: Shader, consumer: Shader, options: LinkOptions = OPTIONS) -> Interface:
    found = read_interface(producer, consumer, options)
    assert isinstance(found, Interface), found
    return found


def accesses(parsed: Shader, word: str) -> list[tuple[str, int, int]]:
    """Name, location and component of the accesses whose name has `word` in it, in order."""
    return [
        (instr.name, instr.io_semantics.location, instr.int_index("component"))
        for impl in parsed.impls()
        for instr in impl.instrs()
        if isinstance(instr, IntrinsicInstr) and word in instr.name and instr.io_semantics is not None
    ]


def stores(parsed: Shader) -> list[tuple[int, int]]:
    return [place[1:] for place in accesses(parsed, "store_output")]


def loads(parsed: Shader) -> list[tuple[str, int, int]]:
    """The input loads of a fragment shader."""
    return accesses(parsed, "input")
