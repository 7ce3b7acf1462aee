"""Wikipedia's Current Events Portal: day pages in, news events out.

::

    days        which day a title, file or page is of
    client      MediaWiki's API, asked politely
    pages       day pages: fetched once and kept, or found in a folder
    wrapper     wikitext -> the news items of each day
    wikitext    news items -> headings and bullets
    inline      the text of a bullet -> plain text, links, sources
    html        the same from a saved page
    events      headings and bullets -> `PortalEvent`s
    names       what pages are called in other languages
    stage       one day as a shard
"""

from retrieval.portal.values import Parsed, PortalEvent, Source, Topic

__all__ = ["Parsed", "PortalEvent", "Source", "Topic"]
