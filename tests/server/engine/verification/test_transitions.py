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


def test_three_stages_may_change_at_one_moment() -> None:
    """As `nir_opt_varyings` changes them, before the log has the first of their dumps."""

    def geometry(read: str, *written: str) -> str:
        access = load(3, read).replace("@load_input (", "@load_per_vertex_input (%0 (0x0), ")
        return shader_text("GEOMETRY", ZERO, ONE, access, *written, header=("name: g",))

    one, other = (
        (
            vertex(store("POS", "%2"), store(slot, "%1")),
            geometry(slot, store(slot, "%3")),
            fragment(load(3, slot), color("%3")),
        )
        for slot in ("VAR0", "VAR1")
    )
    log = read_log("".join(f"nir_opt_dce\n{text}" for text in (*one, *other)).encode())
    assert [(each.linked[0].before, each.linked[0].after) for each in log.transitions] == [
        ((0, 1, 2), (3, 4, 5))
    ] * 3


def test_stages_that_do_not_fit_are_not_linked() -> None:
    stranger = fragment(load(3, "VAR7"), color("%3"))
    log = read_log(f"nir_lower_io\n{PRODUCER}nir_lower_io\n{stranger}nir_opt_dce\n{NEW_PRODUCER}".encode())
    assert [one.linked for one in log.transitions] == [()]


ORDERS = (("%1", "%2"), ("%2", "%1"))
SLOTS = (("VAR0", "VAR1"), ("VAR1", "VAR0"))


def test_varyings_that_only_change_their_places_are_a_change_of_both_stages() -> None:
    """Packing between two snapshots, as RADV runs it: no pass is named, and the slots are the same ones."""
    producers = [vertex(store("POS", "%2"), store("VAR0", one), store("VAR1", two)) for one, two in ORDERS]
    consumers = [fragment(load(3, one), load(4, two), color("%4")) for one, two in SLOTS]
    log = read_log(
        f"nir_lower_io\n{producers[0]}nir_lower_io\n{consumers[0]}nir_opt_cse\n{producers[1]}"
        f"nir_opt_dce\n{consumers[1]}".encode()
    )
    assert [(one.linked[0].before, one.linked[0].after) for one in log.transitions] == [((0, 1), (2, 3))] * 2


def test_the_slots_of_declared_outputs_are_part_of_the_interface() -> None:
    def dump(stage: str, way: str, slot: str) -> str:
        variable = f"decl_var shader_{way} INTERP_MODE_NONE none float a (VARYING_SLOT_{slot}.x, 0, 0)"
        use = f"32 %3 = deref_var &a (shader_{way} float)"
        access = (
            "@store_deref (%3, %0) (wrmask=x, access=none)"
            if way == "out"
            else "32 %4 = @load_deref (%3) (access=none)"
        )
        return shader_text(stage, ZERO, ONE, use, access, header=(f"name: {stage}", variable))

    stages = (("VERTEX", "out"), ("FRAGMENT", "in"))
    texts = [dump(*one, slot) for slot in ("VAR3", "VAR1") for one in stages]
    log = read_log("".join(f"nir_opt_dce\n{text}" for text in texts).encode())
    assert [(one.linked[0].before, one.linked[0].after) for one in log.transitions] == [((0, 1), (2, 3))] * 2


def test_a_variable_that_is_not_read_any_more_is_part_of_the_interface() -> None:
    """Linking makes a number of an input, before the declaration is removed."""
    variable = "decl_var shader_{} INTERP_MODE_NONE none float a (VARYING_SLOT_VAR0.x, 0, 0)"
    access = "32 %3 = deref_var &a (shader_{} float)"
    producer = shader_text(
        "VERTEX",
        *(ZERO, ONE, access.format("out"), "@store_deref (%3, %1) (wrmask=x, access=none)"),
        header=("name: v", variable.format("out")),
    )
    reads = (access.format("in"), "32 %4 = @load_deref (%3) (access=none)")
    consumers = [
        shader_text("FRAGMENT", ZERO, ONE, *lines, color(value), header=("name: f", variable.format("in")))
        for lines, value in ((reads, "%4"), ((), "%1"))
    ]
    texts = (producer, *consumers)
    (transition,) = read_log("".join(f"nir_lower_flrp\n{text}" for text in texts).encode()).transitions
    assert transition.linked[0].before == (0, 1)
    assert transition.linked[0].after == (0, 2)
