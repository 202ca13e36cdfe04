from __future__ import annotations

import pytest

from nirls.ir.text.dumps import split_dumps
from nirls.ir.text.parse import parse_dump, parse_shaders
from nirls.ir.validation import validate
from nirls.passes.varyings.opt_varyings_dead_io import OptVaryingsDeadIo
from tools.synthetic import fragment_dump, log_of_lines, vertex_dump


@pytest.mark.parametrize("size", [40, 100, 1000])
def test_dumps_are_valid_and_of_the_size_asked_for(size: int) -> None:
    pair = [parse_dump(text.encode()) for text in (vertex_dump(size), fragment_dump(size))]
    for shader in pair:
        assert not shader.unreadable
        assert validate(shader) == []
        count = sum(1 for impl in shader.impls() for _ in impl.instrs())
        assert abs(count - size) <= 5
    assert [finding.code for finding in OptVaryingsDeadIo().find(pair)] == ["dead-output"]


def test_logs_have_about_the_lines_asked_for_and_no_dump_twice() -> None:
    data = log_of_lines(5000, 100).encode()
    assert 5000 <= data.count(b"\n") <= 5300
    dumps = [data[dump.start : dump.end] for dump in split_dumps(data)]
    assert len(dumps) == len(set(dumps)) == len(parse_shaders(data))
