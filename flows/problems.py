"""What stops a flow: one clear sentence each.

FlowProblem
├── RecipientsProblem    no file, an empty file, no usable column, nobody left to write to
├── TextProblem          a place without a column, a brace too many
├── SettingsProblem      a tag, a date or an account that cannot be used
│   └── PackageMissing   what needs a package that isn't installed
├── ReceiverFailed       a webhook that doesn't take what it is handed now, and may later
├── NotNotified          a notification block that reaches nobody
├── ReceiverRefused      a webhook that won't take it
└── LedgerProblem        flows.ledger: the plan differs, somebody else owns it, the schema is newer
"""

import sys


class FlowProblem(Exception):  # noqa: N818  (read by operations people, for whom these are problems)
    """A reason not to go on, in one sentence for the person who started the flow."""


class RecipientsProblem(FlowProblem):
    """The recipients cannot be read."""


class TextProblem(FlowProblem):
    """The text cannot be rendered for these recipients."""


class SettingsProblem(FlowProblem):
    """A parameter cannot be used."""


class PackageMissing(SettingsProblem):
    """Something needs a package that isn't installed where the flow runs."""

    def __init__(self, what: str, package: str) -> None:
        # Of the interpreter itself: the command works in a clone, in an image and on a worker alike.
        super().__init__(
            f"{what} needs the package {package!r}, which isn't installed here; install it by: "
            f"{sys.executable} -m pip install {package}"
        )


class LedgerProblem(FlowProblem):
    """The ledger refuses."""


class ReceiverFailed(FlowProblem):
    """A receiver of the operator's own doesn't take what it is handed; it may later."""


class ReceiverRefused(FlowProblem):
    """A receiver of the operator's own won't take what it is handed; repeating doesn't help."""


class NotNotified(FlowProblem):
    """A notification didn't get out; it may later."""
