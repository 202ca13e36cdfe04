"""Timeline: the passes of each shader in a log printed after every pass.

`pass_names` reads the text between two dumps, `dump_digest` extracts facts of a dump without parsing it,
`shader_tracks` groups dumps by shader, and `timeline` combines them.
"""
