"""The trial of one text: everything that nirls can do, step by step, with all failures collected.

Runs in a worker process of the server's own kind, which ends a step that takes too long or eats memory.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence

from nirls.ir.analysis.divergence import agreement, divergence, patch_divergence, vertex_divergence
from nirls.ir.analysis.dominance import dominance, post_dominance
from nirls.ir.analysis.loop_nesting import LoopNesting
from nirls.ir.finding import Finding
from nirls.ir.model.clone import clone_shader
from nirls.ir.model.shader import Dialect, Shader
from nirls.ir.model.stage import Stage
from nirls.ir.text.dumps import split_dumps
from nirls.ir.text.edits import apply_edits, print_shader, text_edits
from nirls.ir.text.parse import parse_dump
from nirls.ir.text.printing.convert import ConversionError, convert
from nirls.ir.text.printing.normalize import normalize
from nirls.ir.text.printing.render import fresh
from nirls.ir.validation import defect_of, new_errors
from nirls.passes import registry
from nirls.passes.declaration import Change, OptionError, Pass
from nirls.server.engine.checks.check_settings import CheckSettings
from nirls.server.engine.checks.dump_findings import FailedPass, findings_of_passes, text_findings
from nirls.server.engine.checks.fix_verdicts import judged
from tools.fuzz.notes import Notes, Wrong
from tools.fuzz.requests import ask_everything

MOST_DUMPS = 3
"""Dumps of a text that the passes look at; a log has hundreds."""

_PASSES_RUN = 8
_FIXES_MADE = 6
_LINK_ORDER = (
    Stage.TASK,
    Stage.MESH,
    Stage.VERTEX,
    Stage.TESS_CTRL,
    Stage.TESS_EVAL,
    Stage.GEOMETRY,
    Stage.FRAGMENT,
)
_JUDGED = 0.3
_TOO_LARGE_TO_JUDGE = 400
_ALL_ON = CheckSettings(passes={declared.name: True for declared in registry.all_passes()})


def try_text(text: bytes, seed: int) -> tuple[Wrong, ...]:
    """Do everything with a text; what is done at random is decided by the seed."""
    notes, rng = Notes(), random.Random(seed)
    dumps: list[bytes] = []
    with notes.step("split"):
        dumps = _split(text, notes)
    if len(dumps) > MOST_DUMPS:
        dumps = rng.sample(dumps, MOST_DUMPS)
    shaders = [shader for dump in dumps if (shader := _read(dump, notes)) is not None]
    for group in _groups(shaders):
        _passes(group, notes, rng)

    ask_everything(text, notes, rng)
    return tuple(notes.wrong)


def _split(text: bytes, notes: Notes) -> list[bytes]:
    last = 0
    dumps = []
    for piece in split_dumps(text):
        notes.expect(last <= piece.start < piece.end <= len(text), "split", f"{piece} after {last}")
        dumps.append(text[piece.start : piece.end])
        last = piece.end
    return dumps


def _read(dump: bytes, notes: Notes) -> Shader | None:
    """A dump as IR, after everything that concerns it alone."""
    shader: Shader | None = None
    with notes.step("parse"):
        shader = parse_dump(dump)
    if shader is None:
        return None
    with notes.step("print"):
        notes.expect(print_shader(shader) == dump, "print", "the text is not the same byte for byte")
    with notes.step("clone"):
        notes.expect(not text_edits(shader, clone_shader(shader)), "clone", "a copy has another text")
    with notes.step("print fresh"):
        fresh(clone_shader(shader))
    with notes.step("normalize"):
        normalize(shader)
    for dialect in (Dialect.MODERN, Dialect.CLASSIC):
        with notes.step(f"convert to {dialect.value}", ConversionError):
            parse_dump(convert(shader, dialect))
    with notes.step("validate"):
        text_findings(shader, _ALL_ON)
    _analyses(shader, notes)
    return shader


def _analyses(shader: Shader, notes: Notes) -> None:
    analyses: dict[str, Callable[[Shader], object]] = {
        "divergence": divergence,
        "vertex divergence": vertex_divergence,
        "patch divergence": patch_divergence,
        "agreement": agreement,
        "agreement of vertices": lambda shader: agreement(shader, vertex=True),
    }
    for name, analysis in analyses.items():
        with notes.step(name):
            analysis(shader)
    for impl in shader.impls():
        with notes.step("dominance"):
            dominance(impl)
        with notes.step("post-dominance"):
            post_dominance(impl)
        with notes.step("loop nesting"):
            LoopNesting(impl)


def _groups(shaders: Sequence[Shader]) -> Iterable[list[Shader]]:
    """Each shader alone, and all that can be linked in pipeline order."""
    yield from ([shader] for shader in shaders)
    by_stage = {shader.stage: shader for shader in shaders}
    linked = [by_stage[stage] for stage in _LINK_ORDER if stage in by_stage]
    if len(linked) > 1:
        yield linked


def _passes(shaders: Sequence[Shader], notes: Notes, rng: random.Random) -> None:
    is_valid = not any(defect_of(shader) for shader in shaders)
    sources = [fresh(clone_shader(shader)) for shader in shaders] if is_valid else []
    findings: list[Finding] = []
    failed: list[FailedPass] = []
    with notes.step("find"):
        findings = findings_of_passes(shaders, _ALL_ON, failed)
    notes.wrong += [
        Wrong(f"find of {failed_pass.name}", failed_pass.detail, failed_pass.trace) for failed_pass in failed
    ]
    notes.expect(is_valid or not findings, "find", "passes ran on a shader with an error")
    _fixes(shaders, findings, notes, rng)
    if is_valid:
        declared = [pass_ for pass_ in registry.all_passes() if _applies(pass_, shaders)]
        for one in rng.sample(declared, min(_PASSES_RUN, len(declared))):
            _run(one, shaders, notes)
        with notes.step("passes left the dump as it was"):
            after = [fresh(clone_shader(shader)) for shader in shaders]
            notes.expect(after == sources, "find", "looking for findings changed the shader")


def _applies(declared: type[Pass], shaders: Sequence[Shader]) -> bool:
    fits = len(shaders) == 1 if declared.scope == "shader" else len(shaders) > 1 or declared.alone
    return fits and declared.applies_to(shaders)


def _run(declared: type[Pass], shaders: Sequence[Shader], notes: Notes) -> None:
    name = f"run of {declared.name}"
    with notes.step(name, OptionError):
        copies = [clone_shader(shader) for shader in shaders]
        declared().check(copies)
        declared().run(copies)
        _result(name, [Change(old, new) for old, new in zip(shaders, copies, strict=True)], notes)


def _fixes(
    shaders: Sequence[Shader],
    findings: Sequence[Finding],
    notes: Notes,
    rng: random.Random,
) -> None:
    offered = dict.fromkeys(fix.request for finding in findings for fix in finding.fixes)
    for number, request in enumerate(rng.sample(list(offered), min(_FIXES_MADE, len(offered)))):
        name = f"fix {request}"
        with notes.step(name):
            declared = registry.find(request.pass_name)
            assert declared is not None
            changes = declared().fix(shaders, request)
            _result(name, changes, notes)
            if (
                number == 0
                and rng.random() < _JUDGED
                and sum(len(shader.source) for shader in shaders) < 40 * _TOO_LARGE_TO_JUDGE
            ):
                judged(shaders, changes)


def _result(name: str, changes: Sequence[Change], notes: Notes) -> None:
    """Note results of a pass that are not valid, as IR or as the text that an editor would get."""
    for change in changes:
        after = apply_edits(change.before.source, text_edits(change.before, change.after))
        again = parse_dump(after)
        for what, shader in (("the result", change.after), ("the text of the result", again)):
            errors = [error.message for error in new_errors([change.before], [shader])]
            notes.expect(not errors, name, f"{what} is invalid: {errors[:1]}")
