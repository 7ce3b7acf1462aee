"""Wikipedia's Current Events Portal: day pages in, news events out.

::

    days        which day a title, file or page is of
    client      MediaWiki's API, asked politely
    batches     many titles in few requests
    pages       the day pages of a window: at hand, or fetched
    store       day pages on disk, by revision
    saved       pages that somebody saved
    wrapper     wikitext -> the news of each day in it
    wikitext    news -> headings and bullets
    inline      the wikitext of a bullet -> pieces (templates: of templates)
    html        a saved page -> headings and bullets (markup: -> pieces)
    pieces      pieces -> sentence, sources, links
    events      headings and bullets -> `PortalEvent`s
    names       what articles are called in other languages
    stage       one day as a shard
    ingest      all of it for a window (account: in numbers)
    output      events on disk
"""

from retrieval.portal.values import Parsed, PortalEvent, Source, Topic

__all__ = ["Parsed", "PortalEvent", "Source", "Topic"]
