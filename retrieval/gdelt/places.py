"""The place that a base address or folder names.

The base is the user's word and trusted, private or not; addresses found in data are never asked.
"""

from pathlib import Path
from urllib.parse import urlsplit

from globesumm.errors import UsageError
from retrieval.gdelt.base import Base, FolderBase
from retrieval.gdelt.web_base import Patience, WebBase

GDELT = "http://data.gdeltproject.org/gdeltv2/"
"""GDELT's own base; its https certificate is another host's, so the address is http."""


def base_at(where: str, patience: Patience | None = None, option: str = "--base") -> Base:
    """The base at an http(s) address or in a folder; a `UsageError` naming `option` if neither."""
    if where.startswith(("http://", "https://")):
        parts = urlsplit(where)
        if not parts.hostname or parts.query or parts.fragment or parts.username:
            raise UsageError(
                f"{option} {where}: not the address of a folder on a host: "
                "write it as https://host/folder"
            )
        return WebBase(where.rstrip("/") + "/", patience or Patience())
    folder = Path(where.removeprefix("file://"))
    if not where or not folder.is_dir():
        shown = where or "''"
        raise UsageError(
            f"{option} {shown}: neither an http(s) address nor a folder that is there: "
            "give one of them"
        )
    return FolderBase(folder.resolve())


def article_list_beside(where: str) -> str:
    """Where the Article List is, seen from a base: in ``gdeltv3/gal`` beside it."""
    if where.startswith(("http://", "https://")):
        return f"{where.rstrip('/').rpartition('/')[0]}/gdeltv3/gal"
    return str(Path(where.removeprefix("file://")).resolve().parent / "gdeltv3" / "gal")
