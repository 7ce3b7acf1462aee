"""Drafts, scores and choice as they are kept beside a summary, so that a reader sees why.

They lie in the round's ``answers``: ``summary.drafts`` is the list of drafts as JSON,
``summary.choice`` the choice, and ``summary.critiques`` what a critic said of each draft.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from annotation.answers import Answer
from annotation.author import Asked
from baselines.drafts.base import Choice, Draft
from globesumm.llm.errors import excerpt
from globesumm.records import from_json, to_json
from globesumm.values import Round
from metrics.printed import MISSING, Table

DRAFTS, CHOICE, CRITIQUES = "drafts", "choice", "critiques"
STEP = "summary"
"""The step of a merge whose answer was chosen."""

SHOWN = 60
"""Characters of a draft in the table of a choice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptDraft:
    """A draft in the record; `raw` is the answer where it is more than the text."""

    number: int
    text: str | None
    reason: str | None = None
    by: str = ""
    raw: str | None = None
    rejected: str | None = None
    notes: tuple[str, ...] = ()


def kept(
    answer: Asked[Answer],
    drafts: Sequence[Draft],
    choice: Choice,
    more: Mapping[str, str] | None = None,
) -> Asked[Answer]:
    """`answer` with all drafts and the choice beside it, and what must be said in its notes."""
    beside = {
        DRAFTS: to_json([_kept(draft) for draft in drafts]),
        CHOICE: to_json(choice),
        **(more or {}),
    }
    said = f"draft {choice.chosen} of {len(drafts)} taken ({choice.rule})"
    notes = (*answer.notes, said, *choice.notes)
    return replace(answer, beside=beside, notes=notes)


def drafts_of(made: Round) -> tuple[KeptDraft, ...]:
    """The drafts of a stored round; none where none were drawn.

    Raises `DataError` for a record that is damaged.
    """
    text = made.answers.get(f"{STEP}.{DRAFTS}")
    return from_json(tuple[KeptDraft, ...], text, f"round {made.index}: drafts") if text else ()


def choice_of(made: Round) -> Choice | None:
    """The choice of a stored round; None where there was none.

    Raises `DataError` for a record that is damaged.
    """
    text = made.answers.get(f"{STEP}.{CHOICE}")
    return from_json(Choice, text, f"round {made.index}: choice") if text else None


def _kept(draft: Draft) -> KeptDraft:
    asked = draft.asked
    return KeptDraft(
        number=draft.number,
        text=draft.text,
        reason=draft.reason,
        by=draft.by,
        raw=asked.text if asked and asked.text.strip() != draft.text else None,
        rejected=asked.rejected if asked else None,
        notes=(*asked.notes, *asked.server_notes) if asked else (),
    )


def is_blind(made: Round) -> bool:
    """Whether drafts were to be chosen among by values, and none told any from the others.

    Either all stood first together, or nothing could be compared; the first was taken then.
    Raises `DataError` for a record that is damaged.
    """
    choice = choice_of(made)
    if choice is None or len(choice.scored) < 2:
        return False
    compared = any(one.rank is not None for one in choice.scored)
    return not compared or len(choice.tied) == len(choice.scored)


def choice_table(drafts: Sequence[KeptDraft], choice: Choice) -> Table:
    """A row for each draft: what each proxy said of it, and where that put it; * is the one taken.

    Values are times 100.
    """
    told = {one.number: one for one in choice.scored}
    proxies = tuple(dict.fromkeys(name for one in choice.scored for name in one.values))
    rows, numbers = [], []
    for draft in drafts:
        one = told.get(draft.number)
        values = [one.values.get(name) if one else None for name in proxies]
        joint, rank = (one.joint, one.rank) if one else (None, None)
        taken = "*" if draft.number == choice.chosen else ""
        begins = excerpt(draft.text or f"no text: {draft.reason}", SHOWN)
        names = (f"{draft.number}{taken}", draft.by, begins)
        rows.append(
            (
                *names,
                *(MISSING if value is None else f"{100 * value:.2f}" for value in (*values, joint)),
                MISSING if rank is None else str(rank),
            )
        )
        bare = ("" if value is None else f"{value:.6f}" for value in (*values, joint))
        numbers.append((*names, *bare, "" if rank is None else str(rank)))
    header = ("draft", "by", "begins", *proxies, "joint", "rank")
    return Table(
        header=header,
        rows=tuple(rows),
        notes=(f"taken by: {choice.rule}", *choice.notes, *_said(choice)),
        number_header=header,
        numbers=tuple(numbers),
        named=3,
    )


def _said(choice: Choice) -> list[str]:
    """What proxies said of drafts that they gave no value."""
    return [
        f"draft {one.number}, {name}: {one.notes.get(name, 'not scored')}"
        for one in choice.scored
        for name, value in one.values.items()
        if value is None
    ]
