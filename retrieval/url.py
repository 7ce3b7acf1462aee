"""Web addresses: one normal form, and ids made from it."""

import re
from hashlib import sha256
from urllib.parse import parse_qsl, unquote, urlencode, urlsplit, urlunsplit

from retrieval.files import safe

_TRACKING = re.compile(
    r"utm_\w+|fbclid|gclid|dclid|msclkid|yclid|igshid|mc_[ce]id|ns_\w+|at_\w+|cmpid|ocid|wt_\w+"
    r"|_ga|ref_src|smid|xtor|spm|amp|outputtype",
    re.IGNORECASE,
)
_AMP_CACHE = re.compile(r"^/[cv]/(s/)?(.+)$")
_ARCHIVE = re.compile(r"^/web/\d+[a-z_]*/(https?:/?/?.+)$")
_CREDENTIALS = re.compile(r"(?<=://)[^/?#]*@")
_DEFAULT_PORTS = {"http": 80, "https": 443}


def is_web(text: str) -> bool:
    """Whether `text` is an http or https address with a host and no blanks."""
    try:
        parts = urlsplit(text)
        return (
            parts.scheme.lower() in _DEFAULT_PORTS
            and bool(parts.hostname)
            and not re.search(r"\s", text)
            and (parts.port is None or parts.port > 0)
        )
    except ValueError:
        return False


def without_credentials(url: str) -> str:
    """`url` without a user name and password before its host: they are nobody else's business."""
    return _CREDENTIALS.sub("", url, count=1)


def has_credentials(url: str) -> bool:
    """Whether a user name or password stands before the host of `url`."""
    return _CREDENTIALS.search(url) is not None


def normal(url: str) -> str:
    """`url` in the form in which two addresses of one article are equal.

    Archive and AMP-cache addresses are unwrapped; scheme, ``www.``, default port, fragment,
    tracking parameters, AMP marks and a last slash are dropped.  The path keeps its case and
    all other parameters stay, since many sites name the article there.
    """
    parts = urlsplit(url.strip())
    host = (parts.hostname or "").rstrip(".").lower()
    if host == "web.archive.org" and (match := _ARCHIVE.match(parts.path)):
        query = f"?{parts.query}" if parts.query else ""
        return normal(re.sub(r"^(https?):/+", r"\1://", match[1]) + query)
    if host.endswith("cdn.ampproject.org") and (match := _AMP_CACHE.match(parts.path)):
        query = f"?{parts.query}" if parts.query else ""
        return normal(f"http{'s' if match[1] else ''}://{match[2]}{query}")
    host = host.removeprefix("www.").removeprefix("amp.")
    port = parts.port
    if port and port != _DEFAULT_PORTS.get(parts.scheme.lower()):
        host = f"{host}:{port}"
    kept = [
        (name, value)
        for name, value in parse_qsl(parts.query, keep_blank_values=True)
        if not _TRACKING.fullmatch(name)
    ]
    path = re.sub(r"/amp/?$|\.amp(?=\.html$|$)", "", unquote(parts.path, errors="replace"))
    return urlunsplit(("http", host, path.rstrip("/"), urlencode(sorted(kept)), ""))


def url_id(url: str) -> str:
    """An id for the page at `url`: its host and eight digits of its normal form's SHA-256."""
    form = normal(url)
    host = urlsplit(form).hostname or "page"
    return f"{safe(host)}-{sha256(form.encode(errors='surrogatepass')).hexdigest()[:8]}"
