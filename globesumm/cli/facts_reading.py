"""Files of verdicts as the verbs on facts read them."""

from pathlib import Path
from typing import TYPE_CHECKING

from globesumm.cli.inputs import name_rejected
from globesumm.errors import UsageError
from globesumm.values import Rejected

if TYPE_CHECKING:
    from metrics.facts.verdicts import Verdicts


def read(path: Path) -> "tuple[list[Verdicts], list[Rejected]]":
    """The verdicts in a file and the lines that hold none; UsageError if none can be read."""
    from metrics.facts.verdicts import Verdicts, read_verdicts

    found: list[Verdicts] = []
    rejected: list[Rejected] = []
    for one in read_verdicts(path):
        if isinstance(one, Verdicts):
            found.append(one)
        else:
            rejected.append(one)
    name_rejected(rejected)
    if not found:
        raise UsageError(
            f"{path} holds no verdicts that can be read; "
            "globesumm facts --help says what a line holds"
        )
    return found, rejected
