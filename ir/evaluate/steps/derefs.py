"""."""
STEPS = {}
def deref_step(c, i):
    return None
