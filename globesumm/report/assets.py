"""The report's own style and script, and the policy that lets a browser use nothing else."""

import base64
import hashlib
from functools import cache
from importlib.resources import files

from markupsafe import Markup


@cache
def asset(name: str) -> Markup:
    """The text of a file that ships with the report, to stand in a page as it is."""
    text = files("globesumm.report").joinpath("templates", name).read_text(encoding="utf-8")
    return Markup(text)  # noqa: S704  # our own file, not data


@cache
def policy() -> str:
    """A content security policy: this style and this script by their digests, and nothing else.

    No address may be asked, no form sent, no frame shown; a style or script that data smuggled
    in would have another digest.
    """
    return "; ".join(
        [
            "default-src 'none'",
            f"style-src '{_digest('report.css')}'",
            f"script-src '{_digest('report.js')}'",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )


def _digest(name: str) -> str:
    """The digest as the policy wants it (CSP level 3, hash-source)."""
    content = hashlib.sha256(asset(name).encode()).digest()
    return f"sha256-{base64.b64encode(content).decode()}"
