"""Step 1, phase 1: check the shape of a call, give ids, write. A 200 means: on disk (specification 2.2, 4.1)."""
