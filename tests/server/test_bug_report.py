"""Reports on passes that went wrong: what they hold, and that no dump can break out of them."""

from __future__ import annotations

from nirls.server.bug_report import report_text
from nirls.server.checking import CheckSettings
from nirls.server.failure_reduction import Smallest
from nirls.server.pass_failures import PassFailure
from nirls.server.worker.failure import Cause

HOSTILE = b"shader: MESA_SHADER_VERTEX\nname: ```\n# not a heading <script>\n"


def failure() -> PassFailure:
    settings = CheckSettings(options={"opt_dce": {"eager": True}})
    return PassFailure("opt_dce", (HOSTILE,), settings, Cause.RAISED, "ValueError: no", "Traceback: here")


def test_a_report_says_what_happened_where_and_on_what() -> None:
    text = report_text(failure(), Smallest((HOSTILE,), 3, 500, True))
    for part in (
        "# opt_dce could not be run: ValueError: no",
        "{'eager': True}",
        "Traceback: here",
        "500 instructions to 3",
    ):
        assert part in text
    assert "Python 3." in text


def test_no_dump_ends_its_code_block() -> None:
    text = report_text(failure(), Smallest((HOSTILE,), 3, 500, True))
    assert text.count("````\n") == 2
    start, end = text.index("````\n"), text.rindex("````\n")
    assert start < text.index("# not a heading") < end


def test_an_input_that_was_not_reduced_is_said_to_be_whole() -> None:
    text = report_text(failure(), Smallest((HOSTILE,), 0, 0, False))
    assert "this is all of it" in text
