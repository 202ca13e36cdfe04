from __future__ import annotations

from nirls.server.engine.verification.log import read_log
from tests.passes.shader_text import ONE, ZERO, load, shader_text, store

POSITION = load(2, "POS").replace("VARYING_SLOT", "VERT_ATTRIB")


def vertex(*lines: str) -> str:
    return shader_text("VERTEX", ZERO, ONE, POSITION, *lines, header=("name: v",))


def fragment(*lines: str) -> str:
    return shader_text("FRAGMENT", ZERO, ONE, *lines, header=("name: f",))


def color(value: str) -> str:
    return store("DATA0", value).replace("VARYING_SLOT", "FRAG_RESULT")


PRODUCER = vertex(store("POS", "%2"), store("VAR0", "%1"))
NEW_PRODUCER = vertex(store("POS", "%2"))
CONSUMER = fragment(load(3, "VAR0"), color("%3"))
NEW_CONSUMER = fragment(color("%1"))


def test_each_snapshot_with_the_one_before_of_its_shader() -> None:
    copied = CONSUMER.replace("    32    %3", "    32    %4 = mov %1\n    32    %3")
    log = read_log(
        f"nir_lower_io\n{PRODUCER}nir_lower_io\n{CONSUMER}nir_opt_cse\n{copied}"
        f"nir_copy_prop\n{PRODUCER}nir_opt_dce\n{NEW_CONSUMER}".encode()
    )
    assert [
        (one.shader, one.pass_name, one.before, one.after, one.is_changed) for one in log.transitions
    ] == [
        ("FS f", "nir_opt_cse", 1, 2, True),
        ("VS v", "nir_copy_prop", 0, 3, False),
        ("FS f", "nir_opt_dce", 2, 4, True),
    ]


def test_a_changed_interface_comes_with_the_other_stages() -> None:
    log = read_log(
        f"nir_lower_io\n{PRODUCER}nir_lower_io\n{CONSUMER}nir_opt_cse\n{NEW_CONSUMER}"
        f"nir_opt_dce\n{NEW_PRODUCER}".encode()
    )
    consumer, producer = log.transitions
    assert consumer.linked[0].before == (0, 1)
    assert consumer.linked[0].after == (3, 2)
    assert producer.linked[0].before == (0, 1)
    assert producer.linked[0].after == (3, 2)
    # The other stage may have been left alone.
    assert producer.linked[-1].before == (0, 2)
    assert producer.linked[-1].after == (3, 2)


def test_stages_that_do_not_fit_are_not_linked() -> None:
    stranger = fragment(load(3, "VAR7"), color("%3"))
    log = read_log(f"nir_lower_io\n{PRODUCER}nir_lower_io\n{stranger}nir_opt_dce\n{NEW_PRODUCER}".encode())
    assert [one.linked for one in log.transitions] == [()]
