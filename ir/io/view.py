"""The inputs and outputs of one shader with the layouts that the driver printed for it: for views.

Passes change slot intrinsics only and need no printed layout: they use `nirls.ir.io.access`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from nirls.ir.io.access import IoAccess, access_of_backend, io_access, is_varying
from nirls.ir.io.level import sides_by_offset
from nirls.ir.io.urb import UrbSlots
from nirls.ir.io.urb_maps import UrbMaps
from nirls.ir.model.instructions import Instr, IntrinsicInstr
from nirls.ir.model.shader import Shader


@dataclass(frozen=True, eq=False)
class IoView:
    """A shader and the maps of its URB entries; none if the driver has not printed them."""

    shader: Shader
    urb_maps: UrbMaps = ()

    @cached_property
    def _urb(self) -> UrbSlots:
        return UrbSlots(self.shader, self.urb_maps)

    def accesses_of(self, instr: Instr) -> tuple[IoAccess, ...]:
        """Return the accesses of an instruction; one of the URB may have several slots.

        Empty for anything else, and for unknown slots.
        """
        access = io_access(instr, self.shader.stage)
        if access is not None:
            return () if access.is_output in sides_by_offset(self.shader) else (access,)
        if not isinstance(instr, IntrinsicInstr):
            return ()
        return tuple(access_of_backend(instr, access) for access in self._urb.accesses(instr))

    def accesses(self) -> Iterator[IoAccess]:
        """All accesses of varyings and fragment outputs, in printed order; no vertex attributes."""
        for instr in self.shader.instrs():
            for access in self.accesses_of(instr):
                if is_varying(access, self.shader.stage):
                    yield access

    def why_unknown(self, instr: IntrinsicInstr) -> str:
        """Return why the slot of an URB access is not known; "" for other instructions and known slots."""
        return self._urb.why_unknown(instr)
