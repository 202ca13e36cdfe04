"""Logs of the API: the shaders of a log, each with its snapshots."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from nirls.ir.finding import counted
from nirls.ir.model.shader import Shader
from nirls.ir.text.parse import parse_dump
from nirls.server.engine.timeline.timeline import PassRun
from nirls.server.engine.verification.log import ReadLog
from nirls.server.engine.verification.log import read_log as read
from nirls.server.engine.verification.transitions import Transition
from nirls.server.engine.verification.unit import UNCHANGED, TransitionVerdict, verify_unit


@dataclass(frozen=True, eq=False, repr=False)
class LoggedSnapshot:
    """A shader as a log has it after a pass.

    `number` counts the dumps of the log from 0. `pass_name` is the pass that the log names, else the heading
    of the dump or its number. `lines` are those of the log, from 0.
    """

    number: int
    pass_name: str
    lines: range
    _log: ReadLog
    _transition: Transition | None

    @property
    def text(self) -> str:
        """The text of the dump, without what a logger wrote before each line."""
        return self._log.text(self.number).decode("utf-8", "surrogateescape")

    @cached_property
    def shader(self) -> Shader:
        """The parsed shader."""
        return parse_dump(self._log.text(self.number))

    @cached_property
    def verdict(self) -> TransitionVerdict | None:
        """What `nirls verify` says of the step from the previous snapshot; None for a first one.

        Computed when it is asked for: both are run on many inputs, with at most 20 s of CPU time.
        """
        if self._transition is None:
            return None
        if not self._transition.is_changed:
            return UNCHANGED
        return verify_unit(self._log.unit(self._transition))

    def __repr__(self) -> str:
        return f"<LoggedSnapshot {self.pass_name}, lines {self.lines.start + 1}-{self.lines.stop}>"


@dataclass(frozen=True, eq=False, repr=False)
class LoggedShader:
    """One shader of a log. `title` is as in `nirls timeline`: `VS GLSL3`; `stage` is its abbreviation.

    `passes` has the names of all passes that the log names, also of those that printed no dump.
    """

    title: str
    stage: str
    passes: tuple[str, ...]
    snapshots: tuple[LoggedSnapshot, ...]

    def __repr__(self) -> str:
        return f"<LoggedShader {self.title}, {counted(len(self.snapshots), 'snapshot')}>"


@dataclass(frozen=True, eq=False, repr=False)
class Log:
    """A log that was printed after passes, such as that of `NIR_DEBUG=print`."""

    shaders: tuple[LoggedShader, ...]

    def __repr__(self) -> str:
        dumps = [one for shader in self.shaders for one in shader.snapshots]
        return f"<Log {counted(len(self.shaders), 'shader')}, {counted(len(dumps), 'snapshot')}>"


def read_log(text: str | bytes) -> Log:
    """Read a log; its dumps are ordered into shaders, as `nirls timeline` shows them.

    Dumps are parsed and verified when they are asked for. Never raises, whatever the text is.
    """
    log = read(text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text)
    transitions = {one.after: one for one in log.transitions}
    return Log(
        tuple(
            LoggedShader(
                shader.title,
                shader.stage,
                tuple(step.label for step in shader.steps),
                tuple(
                    _snapshot(log, step, step.dump, transitions.get(step.dump))
                    for step in shader.steps
                    if step.dump is not None
                ),
            )
            for shader in log.shaders
        )
    )


def _snapshot(log: ReadLog, step: PassRun, dump: int, transition: Transition | None) -> LoggedSnapshot:
    lines = range(log.line(dump), log.snapshot.line_behind(dump))
    return LoggedSnapshot(dump, step.name, lines, log, transition)
