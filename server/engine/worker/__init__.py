"""Work in another process, which can be ended: a pass that never ends or eats memory takes only that down."""
