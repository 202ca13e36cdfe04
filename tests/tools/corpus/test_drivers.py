"""Counts over driver logs."""

from tools.corpus.drivers import count_log

DUMP = b"""shader: MESA_SHADER_FRAGMENT
decl_function main () (entrypoint)

impl main {
    con block b0:   // preds:
    con 32     %0 = load_const (0x3f800000 = 1.000000)
    %1
                    // succs: b1
    block b1:
}
"""


def test_a_dump_is_counted_once_with_its_errors() -> None:
    counts = count_log(("driver.log", DUMP + b"something else\n" + DUMP))
    assert counts.numbers["dumps"] == 2
    assert counts.numbers["different dumps"] == 1
    assert counts.numbers["values"] == 1
    assert [kind for kind, _ in counts.places] == ["errors"]


def test_a_log_without_dumps_is_noted() -> None:
    assert count_log(("driver.log", b"nothing\n")).places == [("empty log", "driver.log")]
