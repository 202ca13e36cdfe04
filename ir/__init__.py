"""NIR as data: text to IR and back, tables, validation, analyses and the evaluator.

Nothing in here imports passes or the server.
"""
