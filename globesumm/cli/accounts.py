"""What a run asked beside what it planned, told at its end."""

from pathlib import Path
from typing import TYPE_CHECKING

from globesumm.progress import say
from globesumm.records import write_record

if TYPE_CHECKING:
    from baselines.account import Account

ASKED = "asked.json"
"""In a run folder: the account of its calls, step by step (`baselines.account.Account`)."""


def tell_account(told: "Account", folder: Path) -> None:
    """Keep the account in `folder`, and say its sums on stderr."""
    from baselines.account import account_lines

    write_record(folder / ASKED, told)
    for line in account_lines(told):
        say(line)
