"""Findings on the payload from a task shader to its mesh shaders."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from nirls.ir.finding import FindingCode, Place, Related, Severity
from nirls.ir.model.instructions import Instr
from nirls.ir.model.shader import Shader
from nirls.passes.declaration import Site, SiteFix
from nirls.passes.varyings.interface.decisions import Step
from nirls.passes.varyings.interface.link_options import RUN_OPT_VARYINGS, LinkOptions
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


def payload_sites(shaders: Sequence[Shader], position: int, options: LinkOptions) -> Iterator[Site]:
    """Yield the sites on the payload between stages `position` and `position + 1`, if they have one."""
    task, mesh = shaders[position], shaders[position + 1]
    linkage = options.payload(task, mesh) if is_payload_pair(task, mesh) else None
    if isinstance(linkage, PayloadLinkage):
        options = options.for_pair(task, mesh)
        plan = plan_payload(linkage, options, UniformVariables(task, mesh, options))
        yield from _Reporter(linkage, plan, position, options).sites()


class _Reporter:
    def __init__(
        self, linkage: PayloadLinkage, plan: PayloadPlan, position: int, options: LinkOptions
    ) -> None:
        self.linkage = linkage
        self.plan = plan
        self.position = position
        self.options = options

    def sites(self) -> Iterator[Site]:
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

    def _undefined(self, access: PayloadAccess, where: range) -> Site:
        name = name_of_bytes(where)
        return self._site(
            UNDEFINED_PAYLOAD,
            access,
            f"{name} is never stored by the TS: it reads as undefined",
            f"Replace the load of {name} by undefined",
            where,
            self.linkage.stores(),
            "the TS stores only",
        )

    def _replaceable(self, replacement: LoadReplacement) -> Iterator[Site]:
        where, name = replacement.piece.where, name_of_bytes(replacement.piece.where)
        store = next((one for one in self.linkage.stores() if _touches(one, where)), None)
        if store is None:
            return
        title = f"Compute {name} where it is read"
        if replacement.step is Step.DEDUPLICATION:
            title = f"Read {replacement.message.partition(' ')[0]} instead of {name}"
        message = f"{name} need not be stored: {replacement.message}"
        loads = [access for access in self.linkage.accesses() if access.reads and _touches(access, where)]
        yield self._site(REMOVABLE_PAYLOAD, store, message, title, where, loads, "read here:")

    def _dead(self, removal: Removal) -> Iterator[Site]:
        name = name_of_bytes(removal.where)
        yield self._site(
            REMOVABLE_PAYLOAD,
            removal.access,
            f"{name} need not be stored: it is never read by the MS",
            f"Remove the store of {name}",
            removal.where,
            self.linkage.loads,
            "the MS reads only",
        )

    def _site(
        self,
        code: FindingCode,
        access: PayloadAccess,
        message: str,
        title: str,
        where: range,
        others: Iterable[PayloadAccess],
        intro: str,
    ) -> Site:
        related = []
        for other in others:
            names = [name_of_bytes(piece.where) for piece in other.pieces()] or [name_of_bytes(other.reach)]
            if (place := self._place(other.instr)) is not None:
                related.append(Related(place, f"{intro} {', '.join(names)}"))
        place = self._place(access.instr)
        finding = code.at(
            place or Place(self.position, 0, 0),
            message,
            related=related[:_MOST_RELATED],
            data={"first_byte": where.start, "bytes": len(where), "producer": "TS", "consumer": "MS"},
            gain=-(-len(where) // 4),
        )
        optimize = partial(optimize_payload, self.linkage, self.options, only=where)
        return Site(finding, (SiteFix(title, optimize, part=name_of_bytes(where)),), whole=RUN_OPT_VARYINGS)

    def _place(self, instr: Instr) -> Place | None:
        is_mesh = any(instr is access.instr for access in self.linkage.loads)
        return None if instr.span is None else Place.of(instr.span, self.position + is_mesh)


_MOST_RELATED = 4


def _touches(access: PayloadAccess, where: range) -> bool:
    return any(overlap(piece.where, where) for piece in access.pieces())
