"""Pictures of shaders: control flow, values, dominators, varyings of a pipeline.

Each module makes a `Graph` from IR; `dot` writes it for Graphviz, `svg` lays it out.
"""
