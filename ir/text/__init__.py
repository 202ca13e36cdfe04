"""NIR as text: grammar, lowering to IR, printing, and minimal edits."""
