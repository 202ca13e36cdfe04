"""What an editor can ask about a dump, as plain data: byte offsets and text, nothing of LSP.

Every function takes the text of one dump (or what is known of it) and offsets within that dump, so that a
test is a text with a marked cursor and the expected answer. `nirls.server.lsp.features` makes LSP of it.
"""
