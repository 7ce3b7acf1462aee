"""Pages → documents, side by side: ``extract(pages, workers=2)``.

The one way by which pages become documents, whoever has them: `retrieval.read` from files,
fetching from the web or an archive of it.  Each page is parsed, read, judged by the gate and
put under its language by `retrieval.extract_page`; with workers that happens in processes of
their own (`retrieval.extract_pool`), so that a page that hangs, takes all memory or crashes a
library is one named rejection and the rest goes on.
"""

from collections import deque
from collections.abc import Iterable, Iterator

from globesumm.values import Document, Rejected
from retrieval.draft import RawPage
from retrieval.extract_page import Extraction, result_of
from retrieval.extract_pool import extracted
from retrieval.finish import with_own_ids
from retrieval.gate.repeats import Repeats


def extract(
    pages: Iterable[RawPage], *, workers: int = 0, settings: Extraction | None = None
) -> Iterator[Document | Rejected]:
    """Each of `pages` as a document, or as a `Rejected` with its `kind`, in the order given.

    `pages` is drawn from as results are taken, a few pages a worker ahead.  With `workers` 0
    the work is done in this process, where a page's size is limited and its time is not; with
    1 or more, each page has `settings.seconds` and `settings.memory_mb`, and a worker that
    dies or is stopped is replaced.  Results do not depend on `workers`.

    Ids are unique within one call.  A text that comes from more than three addresses of one
    host is boilerplate: from the fourth on it is rejected.  Every rejection has a `kind` of
    `retrieval.kinds.KINDS`, the page's address and the language it was said to be in; count
    documents and rejections with `retrieval.gate.counts.Counts`, which also raises the alarms.

    Raises what `pages` raises; a `UsageError` for a negative number of workers or settings out
    of range, at once.
    """
    chosen = settings or Extraction()
    chosen.check()
    addresses: deque[str | None] = deque()

    def drawn() -> Iterator[RawPage]:
        for page in pages:
            addresses.append(page.requested or page.url)
            yield page

    found = (
        (result_of(page, chosen) for page in drawn())
        if workers == 0
        else extracted(drawn(), chosen, workers)
    )
    return with_own_ids(_without_boilerplate(found, addresses) if chosen.gate else found)


def _without_boilerplate(
    found: Iterable[Document | Rejected], addresses: deque[str | None]
) -> Iterator[Document | Rejected]:
    """`found`, which comes in the order of `addresses`, judged by what came before."""
    repeats = Repeats()
    for one in found:
        address = addresses.popleft()
        yield repeats.judged(one, address) if isinstance(one, Document) else one
