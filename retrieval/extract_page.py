"""One page → a document, or the named reason why not.  Runs in a worker or in process."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from globesumm.errors import UsageError
from globesumm.languages import parse
from globesumm.values import Document, Rejected
from retrieval.draft import MAX_BYTES, PageRefused, RawPage
from retrieval.finish import finished
from retrieval.gate.judge import judge
from retrieval.kinds import CRASH, OUT_OF_MEMORY, TOO_LARGE
from retrieval.language import declared_code
from retrieval.page import draft_from, page_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Extraction:
    """How pages are extracted.

    `max_bytes` is the most one page may have; in a worker it has `seconds` and the process
    `memory_mb` (MiB of address space; where the system knows such a limit).  With `gate`,
    pages that are no reports are rejected; a report has at least `fewest_letters`, of which a
    Chinese, Japanese or Korean one counts as three.  Dates more than a day after `now` are not
    believed.  `language` is every document's where the caller knows it, and `candidates` are
    the languages to consider; both take any spelling of a code.
    """

    max_bytes: int = MAX_BYTES
    seconds: float = 30.0
    memory_mb: int = 3072
    gate: bool = True
    fewest_letters: int = 100
    now: datetime = field(default_factory=lambda: datetime.now(UTC))
    language: str | None = None
    candidates: Sequence[str] | None = None

    def check(self) -> None:
        """Raise a `UsageError` for a limit below 1, `UnknownName` for an unknown language."""
        for name in ("max_bytes", "seconds", "memory_mb"):
            if not getattr(self, name) > 0:
                raise UsageError(f"{name} is {getattr(self, name)}: it must be above 0")
        for code in (*([self.language] if self.language else ()), *(self.candidates or ())):
            parse(code)


def result_of(raw: RawPage, settings: Extraction) -> Document | Rejected:
    """The document on `raw`, or why there is none; never raises for what a page holds."""
    if len(raw.content) > settings.max_bytes:
        reason = f"larger than {settings.max_bytes} bytes"
        return rejected(raw, TOO_LARGE, reason)
    try:
        return _judged(raw, settings)
    except PageRefused as error:
        return rejected(raw, error.kind, str(error).removeprefix(f"{raw.where}: "))
    except MemoryError:
        return rejected(raw, OUT_OF_MEMORY, f"took more than {settings.memory_mb} MiB")
    except Exception as error:  # noqa: BLE001  # parsers fail on hostile pages in every way
        reason = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        return rejected(raw, CRASH, f"the extractor failed ({reason})")


def _judged(raw: RawPage, settings: Extraction) -> Document | Rejected:
    page = page_of(raw)
    try:
        draft = draft_from(page, settings.now)
    except PageRefused:
        # A page without text is often one of those that the gate knows by name.
        verdict = judge(page, None, fewest_letters=settings.fewest_letters)
        if verdict is None or not settings.gate:
            raise
        return rejected(raw, verdict.kind, verdict.reason)
    language = parse(settings.language) if settings.language else None
    one = finished(draft, language, settings.candidates)
    if isinstance(one, Rejected) or not settings.gate:
        return one
    verdict = judge(page, one, fewest_letters=settings.fewest_letters)
    return one if verdict is None else rejected(raw, verdict.kind, verdict.reason, one)


def rejected(raw: RawPage, kind: str, reason: str, document: Document | None = None) -> Rejected:
    """`raw` as a rejection of a kind, with its address, and the language as far as known."""
    known = document.language if document else declared_code(raw.language)[0]
    return Rejected(
        where=raw.where,
        reason=reason,
        excerpt=(document.title or document.text[:120]) if document else None,
        kind=kind,
        url=raw.url or raw.requested,
        language=known,
    )
