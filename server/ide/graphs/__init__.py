"""Graphs of shaders: control flow, values, dominators, varyings of a pipeline.

Each module builds a `Graph` from IR; `dot` writes it for Graphviz, `svg` lays it out.
"""
