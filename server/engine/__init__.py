"""Documents, linking, findings and fixes, independent of LSP and terminal."""
