"""Documents, linking, findings and fixes, without LSP and without a terminal."""
