"""What a status other than 200 means, and when a busy site wants to be asked again."""

from retrieval.fetching import Cause, FetchError
from retrieval.retry_after import retry_after

_AGAIN = frozenset({429, 502, 503, 504})
_STATUS_CAUSES = {
    304: Cause.UNCHANGED,
    401: Cause.REFUSED,
    402: Cause.REFUSED,
    403: Cause.REFUSED,
    404: Cause.GONE,
    410: Cause.GONE,
    429: Cause.BUSY,
    451: Cause.REFUSED,
}


class BusyError(FetchError):
    """A status that a site may not give the next time; `wait` seconds if it says, else 0."""

    def __init__(self, url: str, reason: str, cause: Cause, wait: float) -> None:
        self.wait = wait
        super().__init__(url, reason, cause)


def status_error(url: str, status: int, asked: str | None) -> FetchError:
    """The error for an answer of this status; a `BusyError` if it may pass by waiting."""
    cause = _STATUS_CAUSES.get(status, Cause.SERVER if status >= 500 else Cause.STATUS)
    if status not in _AGAIN:
        return FetchError(url, f"status {status}", cause)
    wait = retry_after(asked) or 0.0
    asks = f", to be asked again in {wait:.0f} s" if wait else ""
    return BusyError(url, f"status {status}{asks}", cause, wait)
