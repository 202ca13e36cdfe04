"""A log that was printed after every pass, as a list of passes for each shader.

`pass_names` reads the text between two dumps, `dump_digest` what a dump says of itself without parsing it,
`shader_tracks` which dumps are snapshots of one shader, and `timeline` puts them together.
"""
