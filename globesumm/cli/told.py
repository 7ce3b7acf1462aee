"""An event, its summary and its conflicts as terminal text."""

from globesumm.finite import counted
from globesumm.languages import LANGUAGES
from globesumm.progress import visible
from globesumm.values import Event, IssueKind, Statement, Summary


def print_documents(event: Event) -> None:
    """Who reported what, when, in which language."""
    from globesumm.text.words import count_words

    print(f"# {event.description}\n")
    print(f"## {counted(len(event.documents), 'document')}\n")
    for document in event.documents:
        time = document.published.strftime("%Y-%m-%d %H:%MZ") if document.published else "undated"
        words = count_words(document.text, document.language)
        told = f"{document.source or '-'}: {document.title or document.id}"
        print(visible(f"{time:<17}  {document.language:<3} {words:>4} words  {told}"))


def print_summary(summary: Summary) -> None:
    """The last prefix's summary, with what had to stay in its own language marked."""
    from globesumm.text.words import count_words

    last = summary.rounds[-1]
    words = count_words(last.summary, summary.target)
    print(
        f"\n## Summary in {LANGUAGES[summary.target].name} after round {last.index} of "
        f"{len(summary.rounds)} ({summary.recipe}, {summary.model}, {counted(words, 'word')})\n"
    )
    for sentence in last.sentences:
        mark = "" if sentence.language == summary.target else f"[{sentence.language}] "
        voices = len({statement.document for statement in sentence.statements})
        documents = (
            f"{counted(voices, 'document')}" if voices != 1 else sentence.statements[0].document
        )
        print(visible(f"{mark}{sentence.text}  ({documents})"))
    if not last.sentences:
        print(visible(last.summary))
    for note in last.notes:
        print(f"note: {note}")


def print_conflicts(event: Event, summary: Summary) -> None:
    """Each conflict with who says what, in the order of time."""
    conflicts = [i for i in summary.rounds[-1].issues if i.kind is IssueKind.CONFLICT]
    print(f"\n## {counted(len(conflicts), 'conflict')}: who says what\n")
    for number, conflict in enumerate(conflicts, 1):
        print(visible(f"{number}. {conflict.differs or 'they differ'}"))
        for statement in conflict.statements:
            print(visible(f"   {_who(event, statement)}: {statement.text}"))
        if conflict.note:
            print(visible(f"   note: {conflict.note}"))


def _who(event: Event, statement: Statement) -> str:
    document = next((one for one in event.documents if one.id == statement.document), None)
    if document is None:
        return statement.document
    time = document.published.strftime("%d %b %H:%MZ") if document.published else "undated"
    return f"[{statement.language}] {document.source or document.id}, {time}"
