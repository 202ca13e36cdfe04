"""The LSP features, one module each: a thin layer between LSP and `nirls.server.ide` with the engine.

Each module has `register(server)`, which declares its handlers.
"""
