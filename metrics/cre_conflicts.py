"""The standard conflicts of an event, each as one line a judge can be asked about.

GlobeSumm (C.2) takes the conflicts found in the last five rounds of the reference annotation.
An event may also bring conflicts that people marked.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from globesumm.values import ConflictCause, Event, Issue, IssueKind, Round, Summary

LAST_ROUNDS = 5
"""Rounds of the annotation that the paper looks at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """One standard conflict in words, and its cause where it was judged."""

    text: str
    cause: ConflictCause | None = None


Extraction = Callable[[Round], list[Conflict]]
"""From one round to the conflicts that it names."""


def marked(event: Event) -> tuple[Conflict, ...]:
    """The conflicts that people marked for the event, each once."""
    return _distinct(conflict_of(issue) for issue in event.conflicts)


def of_annotation(
    annotation: Summary, extraction: str = "issues", rounds: int = LAST_ROUNDS
) -> tuple[Conflict, ...]:
    """The conflicts in the last `rounds` rounds of a reference annotation, each once.

    `extraction` is a name in `EXTRACTIONS`; it belongs into the metric's signature.
    """
    last = annotation.rounds[-rounds:] if rounds > 0 else ()
    return _distinct(found for one in last for found in EXTRACTIONS[extraction](one))


def _of_issues(one: Round) -> list[Conflict]:
    """The round's conflicts as values, with the causes that its strategies name."""
    causes = {strategy.issue: strategy.cause for strategy in one.strategies}
    return [
        conflict_of(issue, causes.get(place))
        for place, issue in enumerate(one.issues)
        if issue.kind is IssueKind.CONFLICT
    ]


def _of_answer(one: Round) -> list[Conflict]:
    """Conflicts from the free text of the answer to [where].

    Headings decide: a line that names conflicts opens the section, one that names redundancies,
    omissions or strategies closes it.  Each list item or line within is one conflict; an item
    that says that there is none is no conflict.
    """
    return [
        Conflict(text=item)
        for name, text in sorted(one.answers.items())
        if "where" in name
        for item in conflict_items(text)
    ]


EXTRACTIONS: Mapping[str, Extraction] = {"issues": _of_issues, "headings-1": _of_answer}
"""``issues``: conflicts that the round holds as values.  ``headings-1``: from its free text."""


def conflict_items(text: str) -> list[str]:
    """The items under the heading "Conflict" of a free-text answer."""
    import regex

    heading = regex.compile(
        r"^[\s#*>\d.)(-]*(?P<kind>redundanc(?:y|ies)|omissions?|conflicts?|strateg(?:y|ies))"
        r"(?:\s*\(\w*\))?\s*[*_]*\s*(?:$|[:：]\s*[*_]*\s*(?P<rest>.*)$)",
        regex.IGNORECASE,
    )
    bullet = regex.compile(r"^\s*(?:[-*•–]|\(?\d{1,3}[.):]|\(?[a-z][.)])\s+", regex.IGNORECASE)
    nothing = regex.compile(
        r"^(?:there (?:is|are) )?(?:no|none|n/a|nil|not found)\b"
        r"(?=$|[.\s]*$|.{0,40}\b(?:conflicts?|identified|found|contradict)|\W*$)",
        regex.IGNORECASE,
    )
    items: list[str] = []
    inside, continues = False, False
    for line in text.splitlines():
        found = heading.match(line)
        if found:
            inside = found["kind"].lower().startswith("conflict")
            continues = False
            line = found["rest"] or ""  # noqa: PLW2901  (what follows the heading is an item)
        stripped = line.strip()
        if not inside or not stripped:
            continues = continues and bool(stripped)
            continue
        begun = bullet.match(line)
        plain = bullet.sub("", line).replace("**", "").strip(" \t*_")
        if continues and not begun and line[:1].isspace():
            items[-1] += f" {plain}"
        elif plain and not nothing.match(plain):
            items.append(plain)
            continues = True
    return items


def conflict_of(issue: Issue, cause: ConflictCause | None = None) -> Conflict:
    """A conflict in words: what people wrote about it, or what its statements say."""
    said = [
        f"{statement.document} ({statement.language}): {_one_line(statement.text)}"
        for statement in issue.statements
    ]
    parts = [issue.note or "", f"They differ in {issue.differs}." if issue.differs else ""]
    if not issue.note:
        parts += said
    text = _one_line(" ".join(part for part in parts if part)) or "an unnamed conflict"
    return Conflict(text=text, cause=issue.cause or cause)


def _distinct(conflicts: Iterable[Conflict]) -> tuple[Conflict, ...]:
    """Each conflict once, where it first stood, with the cause it was first given."""
    found: dict[str, Conflict] = {}
    for conflict in conflicts:
        known = found.setdefault(conflict.text, conflict)
        if known.cause is None and conflict.cause is not None:
            found[conflict.text] = conflict
    return tuple(found.values())


def _one_line(text: str) -> str:
    return " ".join(text.split())
