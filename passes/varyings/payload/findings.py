"""Findings on the payload from a task shader to its mesh shaders."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from nirls.ir.finding import Finding, FindingCode, Fix, Place, Related, Severity
from nirls.ir.model.instructions import Instr
from nirls.ir.model.shader import Shader
from nirls.passes.varyings.interface.accesses import Unlinkable
from nirls.passes.varyings.interface.decisions import Step
from nirls.passes.varyings.interface.link_options import LinkOptions
from nirls.passes.varyings.interface.payload_accesses import (
    PayloadAccess,
    PayloadLinkage,
    is_payload_pair,
    name_of_bytes,
    overlap,
)
from nirls.passes.varyings.interface.uniform_variables import UniformVariables
from nirls.passes.varyings.payload.link import optimize_payload
from nirls.passes.varyings.payload.plan import LoadReplacement, PayloadPlan, Removal, plan_payload

REMOVABLE_PAYLOAD = FindingCode(
    "removable-payload", "Task payload that need not be stored", Severity.INFORMATION
)
UNDEFINED_PAYLOAD = FindingCode(
    "undefined-payload", "Task payload that is never stored", Severity.WARNING, unnecessary=True
)
PAYLOAD_CODES = (REMOVABLE_PAYLOAD, UNDEFINED_PAYLOAD)

_KEY = re.compile(r"payload:(\d{1,9})-(\d{1,9})")
_WHOLE_PASS = Fix("Run opt_varyings", "opt_varyings", "pass")


def payload_findings(shaders: Sequence[Shader], position: int, options: LinkOptions) -> Iterator[Finding]:
    """Yield the findings on the payload between stages `position` and `position + 1`, if they have one."""
    task, mesh = shaders[position], shaders[position + 1]
    linkage = options.payload(task, mesh) if is_payload_pair(task, mesh) else None
    if isinstance(linkage, PayloadLinkage):
        options = options.for_pair(task, mesh)
        plan = plan_payload(linkage, options, UniformVariables(task, mesh, options))
        yield from _Reporter(linkage, plan, position).findings()


def apply_payload_fix(shaders: Sequence[Shader], key: str, options: LinkOptions) -> Iterator[Shader]:
    """Apply the fix of a finding in place; yield the changed shaders."""
    asked = _KEY.fullmatch(key)
    if asked is None:
        return
    for task, mesh in pairwise(shaders):
        linkage = options.payload(task, mesh) if is_payload_pair(task, mesh) else None
        if linkage is not None and not isinstance(linkage, Unlinkable):
            yield from optimize_payload(linkage, options, only=range(int(asked[1]), int(asked[2])))


class _Reporter:
    def __init__(self, linkage: PayloadLinkage, plan: PayloadPlan, position: int) -> None:
        self.linkage = linkage
        self.plan = plan
        self.position = position

    def findings(self) -> Iterator[Finding]:
        replaced: dict[range, LoadReplacement] = {}
        for found in self.plan.replacements.values():
            if found.is_undefined:
                yield self._undefined(found.piece.access, found.piece.where)
            else:
                replaced.setdefault(found.piece.where, found)
        for access in self.plan.vague_loads:
            yield self._undefined(access, access.reach)
        for found in replaced.values():
            yield from self._replaceable(found)
        for removal in self.plan.removals:
            if not any(overlap(removal.where, where) for where in replaced):
                yield from self._dead(removal)

    def _undefined(self, access: PayloadAccess, where: range) -> Finding:
        name = name_of_bytes(where)
        return self._finding(
            UNDEFINED_PAYLOAD,
            access,
            f"{name} is never stored by the TS: it reads as undefined",
            f"Replace the load of {name} by undefined",
            where,
            self.linkage.stores(),
            "the TS stores only",
        )

    def _replaceable(self, found: LoadReplacement) -> Iterator[Finding]:
        where, name = found.piece.where, name_of_bytes(found.piece.where)
        store = next((one for one in self.linkage.stores() if _touches(one, where)), None)
        if store is None:
            return
        title = f"Compute {name} where it is read"
        if found.step is Step.DEDUPLICATION:
            title = f"Read {found.message.partition(' ')[0]} instead of {name}"
        message = f"{name} need not be stored: {found.message}"
        loads = [one for one in self.linkage.accesses() if one.reads and _touches(one, where)]
        yield self._finding(REMOVABLE_PAYLOAD, store, message, title, where, loads, "read here:")

    def _dead(self, removal: Removal) -> Iterator[Finding]:
        name = name_of_bytes(removal.where)
        yield self._finding(
            REMOVABLE_PAYLOAD,
            removal.access,
            f"{name} need not be stored: it is never read by the MS",
            f"Remove the store of {name}",
            removal.where,
            self.linkage.loads,
            "the MS reads only",
        )

    def _finding(
        self,
        code: FindingCode,
        access: PayloadAccess,
        message: str,
        title: str,
        where: range,
        others: Iterable[PayloadAccess],
        intro: str,
    ) -> Finding:
        related = []
        for other in others:
            names = [name_of_bytes(piece.where) for piece in other.pieces()] or [name_of_bytes(other.reach)]
            if (place := self._place(other.instr)) is not None:
                related.append(Related(place, f"{intro} {', '.join(names)}"))
        place = self._place(access.instr)
        return code.at(
            place or Place(self.position, 0, 0),
            message,
            related=related[:_MOST_RELATED],
            fixes=(Fix(title, f"payload:{where.start}-{where.stop}", preferred=True), _WHOLE_PASS),
            data={"first_byte": where.start, "bytes": len(where), "producer": "TS", "consumer": "MS"},
        )

    def _place(self, instr: Instr) -> Place | None:
        is_mesh = any(instr is access.instr for access in self.linkage.loads)
        return None if instr.span is None else Place.of(instr.span, self.position + is_mesh)


_MOST_RELATED = 4


def _touches(access: PayloadAccess, where: range) -> bool:
    return any(overlap(piece.where, where) for piece in access.pieces())
