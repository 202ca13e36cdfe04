"""Editor features on dumps as plain data: byte offsets and text, without LSP.

Functions take the text of one dump, or data derived from it, and offsets within that dump, so that a test is
a text with a marked cursor and the expected result. `nirls.server.lsp.features` converts results to LSP.
"""
