from __future__ import annotations

from dataclasses import replace

import pytest

from nirls.server.engine.verification.log import read_log
from nirls.server.engine.verification.unit import PipelineTexts, TransitionUnit, verify_unit
from tests.server.engine.verification.test_transitions import (
    CONSUMER,
    NEW_CONSUMER,
    NEW_PRODUCER,
    PRODUCER,
    color,
    fragment,
)


def verdicts(log: str) -> list[tuple[str, str]]:
    found = read_log(log.encode())
    return [(one.pass_name, verify_unit(found.unit(one)).verdict) for one in found.transitions]


def log_of(consumer: str, producer: str) -> str:
    return f"nir_lower_io\n{PRODUCER}nir_lower_io\n{CONSUMER}nir_opt_cse\n{consumer}nir_opt_dce\n{producer}"


def test_a_change_of_two_stages_is_no_difference() -> None:
    assert verdicts(log_of(NEW_CONSUMER, NEW_PRODUCER)) == [
        ("nir_opt_cse", "equivalent"),
        ("nir_opt_dce", "equivalent"),
    ]


def test_a_wrong_change_of_two_stages_is_one() -> None:
    assert verdicts(log_of(fragment(color("%0")), NEW_PRODUCER))[0] == ("nir_opt_cse", "different")


def test_a_pipeline_that_cannot_be_compared_may_be_the_right_one() -> None:
    """The log does not say which dump of the other stage belongs to a change."""
    unit = TransitionUnit(
        PRODUCER.encode(),
        NEW_PRODUCER.encode(),
        "nir_opt_dce",
        tuple(
            PipelineTexts((PRODUCER.encode(), CONSUMER.encode()), (NEW_PRODUCER.encode(), consumer.encode()))
            for consumer in (fragment(color("%0")), fragment("32 %9 = operation_of_2030 %1", color("%9")))
        ),
    )
    assert verify_unit(unit).verdict == "unchecked"
    assert verify_unit(replace(unit, linked=unit.linked[:1])).verdict == "different"


def test_a_linking_pass_without_the_other_stage_is_unchecked() -> None:
    unit = TransitionUnit(PRODUCER.encode(), NEW_PRODUCER.encode(), "nir_opt_varyings")
    found = verify_unit(unit)
    assert (found.verdict, found.reason) == (
        "unchecked",
        "nir_opt_varyings changes the interface of two stages at once",
    )


def test_a_difference_comes_with_its_counterexample() -> None:
    found = verify_unit(TransitionUnit(PRODUCER.encode(), NEW_PRODUCER.encode(), "nir_opt_dce"))
    assert found.verdict == "different"
    assert found.counterexample is not None
    assert (found.counterexample.what, found.counterexample.after) == ("VARYING_SLOT_VAR0.x", "nothing")


def test_the_key_follows_all_that_the_verdict_depends_on() -> None:
    unit = TransitionUnit(b"a", b"b", "nir_opt_dce")
    keys = {
        one.key("1")
        for one in (
            unit,
            TransitionUnit(b"a", b"b", "nir_opt_cse"),
            TransitionUnit(b"b", b"a", "nir_opt_dce"),
        )
    }
    assert len(keys | {unit.key("2")}) == 4
    assert unit.key("1") == TransitionUnit(b"a", b"b", "nir_opt_dce").key("1")


LAST = "NIR (final form) for vertex shader:\n"


@pytest.mark.parametrize(
    ("between", "expected"),
    [("nir_opt_dce\n", "different"), ("some text\n", "unchecked"), (LAST, "unchecked")],
)
def test_an_output_may_go_in_passes_without_names(between: str, expected: str) -> None:
    assert [one for _, one in verdicts(f"{PRODUCER}{between}{NEW_PRODUCER}")] == [expected]


def test_another_value_is_a_difference_whatever_ran() -> None:
    assert verdicts(f"{CONSUMER}some text\n{fragment(color('%0'))}")[0][1] == "different"


def test_a_variant_may_write_fewer_outputs() -> None:
    first, base, one = (PRODUCER.replace("impl main {", f"impl main {{  // {n}") for n in range(3))
    log = read_log("--\n".join((first, base, one, base, NEW_PRODUCER)).encode())
    found = [verify_unit(log.unit(one)) for one in log.transitions if one.is_changed]
    assert [one.verdict for one in found] == ["equivalent"]
    assert "not written by this variant of the shader: VARYING_SLOT_VAR0" in found[0].reason


def test_a_difference_behind_a_step_that_the_log_does_not_print_is_unchecked() -> None:
    ubo = "32 %7 = @load_ubo (%0, %0) (access=none, align_mul=4, align_offset=0, range_base=0, range=~0)"
    before, after = fragment(color("%0")), fragment(ubo, color("%7"))
    log = read_log(f"nir_lower_io\n{before}nir_opt_dce\n{after}".encode())
    (transition,) = log.transitions
    assert transition.unprinted == ("load_ubo",)
    found = verify_unit(log.unit(transition))
    assert found.verdict == "unchecked"
    assert found.reason.startswith(("nir_opt_dce cannot make load_ubo", "the second snapshot uses UBOs"))
    # The same input read in another slot.
    moved = fragment(*(line for line in (color("%0"),)))
    assert not read_log(f"nir_lower_io\n{before}nir_opt_dce\n{moved}".encode()).transitions[0].unprinted
