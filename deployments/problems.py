"""What keeps a machine from running: one sentence each."""


class CannotRun(Exception):  # noqa: N818
    """Something that has to be put right first; the message says what, in one sentence."""
