"""Events with their rounds in the layout of the published GlobeSumm data, read and written.

An event has ``date description category news GPT4``; an item of ``news`` has ``lang_abbr
lang_full date title article KIS KIS+CLP``; a round in ``GPT4`` has ``news1 news2 where strategy
summary summary_KIS``.  Lists are numbered text.  A file is JSON Lines or one JSON array.

Reading takes what is there and says what is broken; writing refuses what is not whole.  Ids are
not published, so they come from content; a document's begins with its place, so that reports
of one day stay in their order.
"""

from annotation.published.layout import Published
from annotation.published.reading import from_published, read_published
from annotation.published.writing import republished, to_published, write_published

__all__ = [
    "Published",
    "from_published",
    "read_published",
    "republished",
    "to_published",
    "write_published",
]
