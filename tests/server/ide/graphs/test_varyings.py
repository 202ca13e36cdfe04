from __future__ import annotations

from nirls.server.ide.graphs.graph import Graph, NodeKind
from nirls.server.ide.graphs.varyings import varyings_graph
from tests.passes.shader_text import ONE, ZERO, load, shader, store, use


def labels(graph: Graph) -> dict[str, NodeKind]:
    return {f"{node.group} {node.label[0]}": node.kind for node in graph.nodes}


def test_stores_meet_loads() -> None:
    vertex = shader("VERTEX", ZERO, ONE, store("VAR0"), store("VAR1"), store("POS"))
    fragment = shader("FRAGMENT", ZERO, load(1, "VAR0"), load(2, "VAR2", 1), use("%1"), use("%2"))
    graph = varyings_graph([vertex, fragment], "sky")
    assert graph.title == "varyings of sky"
    assert labels(graph) == {
        "1 VS outputs POS.x": NodeKind.OUTPUT,
        "1 VS outputs VAR0.x": NodeKind.OUTPUT,
        "1 VS outputs VAR1.x": NodeKind.UNMATCHED,
        "2 FS inputs VAR0.x": NodeKind.INPUT,
        "2 FS inputs VAR2.y": NodeKind.UNMATCHED,
    }
    (edge,) = graph.edges
    assert (edge.source, edge.target) == ("out_0_32_0", "in_1_32_0")


def test_places_name_their_stage() -> None:
    vertex = shader("VERTEX", ZERO, ONE, store("VAR0"))
    fragment = shader("FRAGMENT", ZERO, load(1, "VAR0"), use("%1"))
    places = [node.place for node in varyings_graph([vertex, fragment], "x").nodes]
    for place, parsed in zip(places, (vertex, fragment), strict=True):
        assert place is not None
        assert b"VAR0" in parsed.source[place.start : place.end]
    assert [place.shader for place in places if place is not None] == [0, 1]


def test_declared_varyings_where_nothing_is_lowered() -> None:
    line = "decl_var shader_{} INTERP_MODE_NONE none vec2 uv (VARYING_SLOT_VAR3.xy, 0, 0)"
    vertex = shader("VERTEX", ZERO, header=[line.format("out")])
    fragment = shader("FRAGMENT", ZERO, header=[line.format("in")])
    graph = varyings_graph([vertex, fragment], "x")
    assert [node.label[0] for node in graph.nodes] == ["VAR3.x uv", "VAR3.y uv", "VAR3.x uv", "VAR3.y uv"]
    assert len(graph.edges) == 2


def test_three_stages() -> None:
    vertex = shader("VERTEX", ZERO, ONE, store("VAR0"))
    geometry = shader(
        "GEOMETRY", ZERO, load(1, "VAR0", name="load_per_vertex_input"), store("VAR1", "%1"), use("%1")
    )
    fragment = shader("FRAGMENT", ZERO, load(1, "VAR1"), use("%1"))
    graph = varyings_graph([vertex, geometry, fragment], "x")
    assert [(edge.source, edge.target) for edge in graph.edges] == [
        ("out_0_32_0", "in_1_32_0"),
        ("out_1_33_0", "in_2_33_0"),
    ]


def test_attributes_in_a_control_shader_are_not_drawn() -> None:
    vertex = shader("VERTEX", ZERO, ONE, store("VAR0"))
    attribute = load(1, "VAR0").replace("VARYING_SLOT_VAR0", "VERT_ATTRIB_GENERIC0")
    control = shader("TESS_CTRL", ZERO, attribute, use("%1"))
    assert list(labels(varyings_graph([vertex, control], "x"))) == ["1 VS outputs VAR0.x"]
