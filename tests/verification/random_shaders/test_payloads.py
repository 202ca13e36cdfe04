"""Task and mesh shaders with a payload: valid, made of the number only, and with all that they are for."""

from __future__ import annotations

import pytest

from nirls.ir.validation import validate
from nirls.verification.random_shaders.payloads import payload_pipeline, payload_texts


@pytest.mark.parametrize("number", range(8))
def test_pipelines_are_valid_and_made_of_the_number_only(number: int) -> None:
    assert payload_texts(number) == payload_texts(number) != payload_texts(number + 1)
    for shader in payload_pipeline(number):
        assert [problem for problem in validate(shader) if problem.severity == "error"] == []


def test_everything_is_made() -> None:
    texts = "\n".join(text for number in range(60) for text in payload_texts(number))
    for word in (
        *("store_task_payload", "load_task_payload", "task_payload_atomic", "launch_mesh_workgroups"),
        *("wrmask=xw", "64x2", "elect", "loop {", "load_per_primitive_input", "ishl"),
    ):
        assert word in texts, word
