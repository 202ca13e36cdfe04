"""`nirls testcase`: a unit test for Mesa from a log or a dump."""

# ruff: noqa: PT028 (the name of the command begins with "test")

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from nirls.ir.mesa_test import MesaApi, NotBuildableError, UnitTest, mesa_api
from nirls.server.cli import outputs
from nirls.server.cli.arguments import Log, Output, ShaderOption
from nirls.server.cli.commands.timeline import chosen
from nirls.server.cli.errors import CommandError, complain
from nirls.server.cli.opening import file_with_dumps, named_dumps
from nirls.server.engine.verification.log import ReadLog, read_log
from nirls.server.engine.verification.mesa_test import api_for, called, mesa_test_of
from nirls.server.engine.verification.transitions import Transition
from nirls.server.engine.verification.unit import TransitionUnit, TransitionVerdict, verify_unit
from nirls.server.ide.history.snapshot_diff import texts_of_dumps

MesaVersion = Annotated[
    str | None,
    typer.Option(
        "--mesa",
        metavar="VERSION",
        help="The Mesa whose API the test uses, 25.0 to 26; the one that printed the dump by default.",
    ),
]


def testcase(
    log: Log,
    pass_name: Annotated[
        str | None,
        typer.Option("--pass", "-p", metavar="PASS", help="The pass to test; in a log, its first change."),
    ] = None,
    expected: Annotated[
        str | None,
        typer.Option("--expected", metavar="FILE", help="The dump that the test expects, FILE or FILE#N."),
    ] = None,
    mesa: MesaVersion = None,
    shader: ShaderOption = None,
    verify: Annotated[
        bool,
        typer.Option("--verify/--no-verify", help="Verify the change: what is wrong is not expected."),
    ] = True,
    output: Output = None,
) -> None:
    """Write a unit test for Mesa: C++ that builds a shader, runs a pass on it, and compares the result.

    The first snapshot of a change is built and the second expected. Where verification says that they
    differ, the test expects the first one, and a comment says what came out and for which inputs it is wrong.
    Whether the dump of --expected computes the same is verified, too.
    Exits with status 2 and writes nothing if Mesa's builder cannot build the shader.
    """
    api = None if mesa is None else api_of(mesa)
    unit = _unit(log, pass_name, expected is not None, shader)
    dump = None if expected is None else _only_dump(expected)
    verdict = verify_unit(unit) if verify and dump is None and unit.before != unit.after else None
    write_test(unit, verdict, api, output, dump)
    if verify and expected is not None and dump is not None:
        _say_whether_right(expected, verify_unit(replace(unit, after=dump, unprinted=())))


def _say_whether_right(name: str, verdict: TransitionVerdict) -> None:
    """Say on standard error if a dump that a test expects is not what the first snapshot computes."""
    if verdict.verdict == "different":
        complain(f"{name} computes something else than the shader that is built: {verdict.reason}")
    elif verdict.verdict == "unchecked":
        complain(f"whether {name} computes the same could not be verified: {verdict.reason}")


def api_of(version: str) -> MesaApi:
    """Return the API of a version. Raises CommandError."""
    try:
        return mesa_api(version)
    except ValueError as error:
        raise CommandError(str(error)) from error


def write_test(
    unit: TransitionUnit,
    verdict: TransitionVerdict | None,
    api: MesaApi | None,
    output: Path | None,
    expected: bytes | None = None,
) -> None:
    """Write the test of a transition; what is left to its author is said on standard error.

    Without `api`, it is for the Mesa that printed the dump. Raises CommandError for a shader that the
    builder cannot build.
    """
    test = _test(unit, verdict, api or api_for(unit.before), expected)
    outputs.write_to(output, [test.text.encode()])
    for note in test.notes:
        complain(note)


def _test(
    unit: TransitionUnit, verdict: TransitionVerdict | None, api: MesaApi, expected: bytes | None
) -> UnitTest:
    changed = ""
    if verdict is not None and verdict.verdict == "different":
        changed = texts_of_dumps(unit.before, unit.after).unified()
    try:
        return mesa_test_of(unit, verdict, api, expected=expected, changed_lines=changed)
    except NotBuildableError as error:
        reasons = "\n".join(error.reasons)
        raise CommandError(
            f"nir_builder of Mesa {api.release} cannot build this shader:\n{reasons}"
        ) from error


def _unit(name: str, pass_name: str | None, has_expected: bool, shader: str | None) -> TransitionUnit:
    """Return the change to test, or one dump with a pass as a change without effect. Raises CommandError."""
    file = file_with_dumps(name)
    log = read_log(file.data)
    transitions = _transitions(log, shader)
    if not transitions:
        if pass_name is None:
            raise CommandError(f"{file.name} has no two snapshots of a shader; name the pass with --pass")
        if not has_expected:
            complain("there is no second snapshot: the test expects that the pass changes nothing")
        text = log.text(0)
        return TransitionUnit(text, text, pass_name)
    found = _first(transitions, pass_name)
    if found is None:
        names = ", ".join(dict.fromkeys(called(one.pass_name) for one in transitions))
        raise CommandError(f"no change by {pass_name} in {file.name}; there are changes by {names}")
    return log.unit(found)


def _transitions(log: ReadLog, shader: str | None) -> list[Transition]:
    """Return the changes of code in a log, of the shader that is asked for. Raises CommandError."""
    titles = {one.title for one in chosen(log.shaders, shader)}
    return [one for one in log.transitions if one.is_changed and one.shader in titles]


def _first(transitions: list[Transition], pass_name: str | None) -> Transition | None:
    if pass_name is None:
        return transitions[0]
    return next((one for one in transitions if pass_name in (one.pass_name, called(one.pass_name))), None)


def _only_dump(name: str) -> bytes:
    """Return the text of the dump that an argument names. Raises CommandError."""
    dumps = named_dumps(name)
    if len(dumps) > 1:
        raise CommandError(f"which dump? {name} has {len(dumps)}; name one as {name}#N")
    return dumps[0].dump.piece.text
