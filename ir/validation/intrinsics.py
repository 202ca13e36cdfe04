"""Checks of intrinsics against the table: sources, destination, bit sizes, indices, masks, stage.

An entry has one form for each era that differs. An instruction is checked against the forms whose indices it
prints, and the form with the fewest faults counts. If no form has these indices, a release that the tables do
not know printed the instruction, and the table is not applied. Old dumps print indices by position and only
the newest eras require equal widths, so both are checked where the dialect has them (Mesa's
validate_intrinsic_instr of 2016 and of today).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from nirls.ir.finding import Severity
from nirls.ir.model.instructions import IndexValue, IntrinsicInstr
from nirls.ir.model.shader import Dialect
from nirls.ir.model.stage import Stage
from nirls.ir.model.variable_path import count_values, is_path, paths_of
from nirls.ir.tables import Intrinsic, intrinsic
from nirls.ir.tables.signatures import source_names
from nirls.ir.text.release import RELEASES_OF_DIALECT
from nirls.ir.validation.indices import complaints
from nirls.ir.validation.reporter import Fault, Reporter
from nirls.ir.validation.stages import stage_words, stages_of_intrinsic

# Indices whose absence changes the meaning of an access; others differ between releases.
_ESSENTIAL_INDICES = frozenset(
    (
        *("base", "component", "io_semantics", "write_mask", "atomic_op", "stream_id", "reduction_op"),
        *("align_mul", "align_offset", "interp_mode", "desc_set", "binding", "execution_scope"),
        *("memory_scope", "image_dim", "param_idx"),
    )
)


class IntrinsicShape(NamedTuple):
    """The properties of an intrinsic that are checked; sizes are (components, bits), 0 if unknown."""

    name: str
    sources: tuple[tuple[int, int], ...]
    dest: tuple[int, int] | None
    indices: tuple[tuple[str, IndexValue], ...]
    stage: str | None
    dialect: str
    writes_register: bool


def check_intrinsic(instr: IntrinsicInstr, reporter: Reporter) -> None:
    """Check an intrinsic against its table entry, the stage and the rules of its indices."""
    for fault in faults_of(shape_of(instr, reporter)):
        reporter.report_fault(fault, instr)


def shape_of(instr: IntrinsicInstr, reporter: Reporter) -> IntrinsicShape:
    """Return the shape of an intrinsic instruction."""
    value = instr.def_
    dest: tuple[int, int] | None = None
    if value is not None:
        dest = (value.num_components, value.bit_size)
    elif instr.reg_dest is not None:
        dest = (instr.reg_dest.reg.num_components, instr.reg_dest.reg.bit_size)
    sources = []
    listed = len(instr.sources) - count_values(paths_of(instr))
    for src in instr.sources[:listed]:
        held = src.def_ if src.def_ is not None else src.reg
        sources.append((0, 0) if held is None else (held.num_components, held.bit_size))
    return IntrinsicShape(
        instr.name,
        tuple(sources),
        dest,
        tuple(item for item in instr.indices.items() if not is_path(item[0])),
        reporter.stage_value,
        reporter.dialect_value,
        value is None,
    )


@lru_cache(20_000)
def faults_of(shape: IntrinsicShape) -> tuple[Fault, ...]:
    """Return the errors in a shape; () for an unknown intrinsic."""
    entry = intrinsic(shape.name)
    if entry is None:
        return ()
    stage = None if shape.stage is None else Stage(shape.stage)
    faults = list(_table_faults(entry, shape))
    stages = stages_of_intrinsic(shape.name)
    if stage is not None and stage not in stages:
        message = f"{shape.name} exists in {stage_words(stages)}, not in {stage.abbreviation}"
        faults.append(Fault("wrong-stage", message))
    faults += _write_mask_faults(entry, shape)
    width, bits = shape.dest or (0, 0)
    if shape.dest is None and shape.sources and shape.name.startswith("store_"):
        width, bits = shape.sources[0]
    return (*faults, *complaints(shape.name, dict(shape.indices), width, bits, stage, Dialect(shape.dialect)))


def _table_faults(entry: Intrinsic, shape: IntrinsicShape) -> tuple[Fault, ...]:
    """Return the faults under the form of the entry with the fewest faults, and the missing indices."""
    forms = _forms(entry, shape)
    given = {name for name, _ in shape.indices}
    missing: tuple[Fault, ...] = ()
    if shape.dialect != Dialect.OLD.value:  # in which indices have no names
        with_indices = [form for form in forms if given.issubset(form.indices)]
        forms = [form for form in with_indices if not _missing_indices(form, given)]
        if with_indices and not forms:
            names = min((_missing_indices(form, given) for form in with_indices), key=len)
            missing = (Fault("missing-index", f"{entry.name} lacks {' and '.join(names)}"),)
            forms = with_indices
    # Of forms with as many faults, one with as many sources says more.
    forms = sorted(forms, key=lambda form: len(form.src_components) != len(shape.sources))
    best = min((list(_faults_under(form, shape)) for form in forms), key=len, default=[])
    if best and any(not any(_faults_under(form, shape)) for form in _forms_of_any_release(entry, given)):
        best = []  # the dialect does not tell the release exactly
    # A release that the tables do not know may have this form.
    return (*missing, *(fault._replace(severity=Severity.WARNING) for fault in best))


def _forms(entry: Intrinsic, shape: IntrinsicShape) -> list[Intrinsic]:
    """Return the forms of the releases that print the dialect; all forms if there is none."""
    forms = list(entry.forms())
    releases = RELEASES_OF_DIALECT[Dialect(shape.dialect)]
    return [form for form in forms if not releases.isdisjoint(form.releases)] or forms


def _forms_of_any_release(entry: Intrinsic, given: set[str]) -> Iterator[Intrinsic]:
    """Yield the forms with the given indices; the oldest releases do not state bit sizes."""
    for form in entry.forms():
        if given.issubset(form.indices):
            yield replace(form, bit_sizes=form.bit_sizes or entry.bit_sizes)


def _faults_under(form: Intrinsic, shape: IntrinsicShape) -> Iterator[Fault]:
    if len(shape.sources) != len(form.src_components):
        wanted, given = len(form.src_components), len(shape.sources)
        yield Fault("bad-source-count", f"{form.name} takes {wanted} sources, not {given}")
        return
    yield from _width_faults(form, shape)
    if form.has_dest and shape.dest is None:
        yield Fault("missing-destination", f"{form.name} needs a destination")
    elif shape.dest is not None and not form.has_dest:
        yield Fault("unexpected-destination", f"{form.name} has no destination", at_dest=True)
    elif shape.dest is not None:
        yield from _bit_size_faults(form, shape, shape.dest[1])


def _width_faults(form: Intrinsic, shape: IntrinsicShape) -> Iterator[Fault]:
    """Check fixed component counts, and that all slots of free width have the same one."""
    is_old = shape.dialect == Dialect.OLD.value
    common = 0
    if form.has_dest and form.dest_components == 0 and shape.dest is not None and not shape.writes_register:
        common = shape.dest[0]
    for position, wanted in enumerate(form.src_components):
        given = shape.sources[position][0]
        if not given or wanted < 0:
            continue
        if wanted == 0:
            common = common or given
            wanted = common
        if given != wanted and not (is_old and given > wanted):
            message = (
                f"has {given} components, but {source_names(form)[position]} of {form.name} has {wanted}"
            )
            yield Fault("bad-component-count", message, position)
    if form.has_dest and form.dest_components > 0 and shape.dest is not None:
        given, wanted = shape.dest[0], form.dest_components
        if given and given != wanted and not (is_old and given > wanted) and not shape.writes_register:
            message = f"{form.name} returns {wanted} component{'s' * (wanted > 1)}, not {given}"
            yield Fault("bad-component-count", message, at_dest=True)


def _bit_size_faults(form: Intrinsic, shape: IntrinsicShape, bits: int) -> Iterator[Fault]:
    if not bits:
        return
    allowed = set(form.bit_sizes)
    if 1 in allowed:  # booleans may be lowered, and had 32 bits in old releases
        allowed |= {8, 16, 32}
    if allowed and bits not in allowed:
        sizes = " or ".join(str(size) for size in form.bit_sizes)
        yield Fault("bad-bit-size", f"{form.name} returns {sizes} bits, not {bits}", at_dest=True)
    like = _source_sized_like(form)
    if like is not None and shape.sources[like][1] not in (0, bits):
        message = f"has {shape.sources[like][1]} bits, but the result of {form.name} has {bits}"
        yield Fault("bad-bit-size", message, like)


def _source_sized_like(form: Intrinsic) -> int | None:
    """Return the source with the bit size of the result: subgroup values, data of atomics."""
    if form.bit_size_src is not None:
        return form.bit_size_src
    if "_atomic" not in form.name or form.name.startswith("atomic_counter"):
        return None
    names = source_names(form)
    return names.index("data") if "data" in names else None


def _missing_indices(form: Intrinsic, given: set[str]) -> list[str]:
    """Return the essential indices of a form that are missing in `given`."""
    return [name for name in form.indices if name in _ESSENTIAL_INDICES and name not in given]


def _write_mask_faults(entry: Intrinsic, shape: IntrinsicShape) -> Iterator[Fault]:
    mask = next((value for name, value in shape.indices if name == "write_mask"), None)
    free = next((i for i, width in enumerate(entry.src_components) if width == 0), None)
    if not isinstance(mask, int) or free is None or free >= len(shape.sources):
        return
    count = shape.sources[free][0]
    if count and mask >> count:
        yield Fault(
            "bad-write-mask", f"has {count} component{'s' * (count > 1)}, but the write mask has more", free
        )
