"""The same text from many addresses of one host: a consent or error page nobody knew."""

from hashlib import sha256

from globesumm.values import Document, Rejected
from retrieval.url import host_of

MOST_ADDRESSES = 3
"""Addresses of one host from which one text may come: a report may be in two sections and in
the archive, a page that stands in for all others is everywhere."""


class Repeats:
    """Remembers which texts came from which addresses of which host.

    It keeps 16 bytes for a text and the addresses of one seen at most `MOST_ADDRESSES` times.
    """

    def __init__(self) -> None:
        self._seen: dict[bytes, set[str]] = {}

    def judged(self, document: Document, address: str | None) -> Document | Rejected:
        """`document`, or its rejection if its text came from too many addresses of its host.

        `address` is the one that was asked for: pages that stand in for others often state one
        canonical address for all.
        """
        host = host_of(address or "")
        if not address or not host:
            return document
        form = f"{host}\n{document.text}".encode(errors="surrogatepass")
        addresses = self._seen.setdefault(sha256(form).digest()[:16], set())
        if address in addresses or len(addresses) < MOST_ADDRESSES:
            addresses.add(address)
            return document
        return Rejected(
            where=address,
            reason=f"the same text as {MOST_ADDRESSES} or more other addresses of {host}",
            excerpt=document.title or document.text[:120],
            kind="boilerplate-page",
            url=address,
            language=document.language,
        )
