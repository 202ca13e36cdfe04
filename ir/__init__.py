"""NIR as data: text to IR and back, tables, validation, analyses and the evaluator.

Nothing in here knows about passes, findings or the language server.
"""
