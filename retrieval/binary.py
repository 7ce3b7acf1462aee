"""Telling files that are no text at all from texts with damage in them.

Decoding never fails, so without this a photograph becomes a document of letters nobody wrote.
"""

import re

from globesumm.errors import DataError
from globesumm.text.clean import Cleaned

MOST_BROKEN = 0.05
"""Share of control and replacement characters (U+FFFD) above which content is no text.

Of random or compressed bytes a tenth are controls; texts cut or garbled on their way stay well
below a hundredth, and a lone sentence with a stray byte or two below a twentieth."""

FEWEST_BROKEN = 8
"""So few control and replacement characters are damage, however short the text is."""

_SIGNATURES: tuple[tuple[str, str], ...] = (
    (r"\s*%PDF-", "PDF"),
    (r"%!PS-Adobe", "PostScript"),
    (r"\{\\rtf\d", "RTF"),
    (r"\x89PNG", "PNG picture"),
    (r"GIF8[79]a", "GIF picture"),
    (r"\xff\xd8\xff", "JPEG picture"),
    (r"II\*\x00|MM\x00\*", "TIFF picture"),
    (r"RIFF.{4}(?:WEBP|WAVE|AVI )", "RIFF picture, sound or film"),
    (r"\x00\x00\x00.ftyp", "MP4, HEIF or AVIF picture or film"),
    (r"OggS\x00", "Ogg sound"),
    (r"ID3[\x02-\x04]", "MP3 sound"),
    (r"PK(?:\x03\x04|\x05\x06|\x07\x08)", "ZIP archive (as DOCX, XLSX, ODT and EPUB are)"),
    (r"\x1f\x8b", "GZIP archive"),
    (r"BZh[1-9]1AY&SY", "BZIP2 archive"),
    (r"\xfd7zXZ\x00", "XZ archive"),
    (r"7z\xbc\xaf\x27\x1c", "7-Zip archive"),
    (r"Rar!\x1a\x07", "RAR archive"),
    (r"\x28\xb5\x2f\xfd", "Zstandard archive"),
    (r".{257}ustar", "TAR archive"),
    (r"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "Microsoft Office file (DOC, XLS, PPT)"),
    (r"SQLite format 3\x00", "SQLite database"),
    (r"\x7fELF", "ELF program"),
    # A text may begin with these two letters; a program has zeros soon after them.
    (r"MZ(?=.{0,30}\x00)", "Windows program"),
    (r"\xca\xfe\xba\xbe|\xfe\xed\xfa[\xce\xcf]|[\xce\xcf]\xfa\xed\xfe", "Mach-O or Java program"),
    (r"\x00asm", "WebAssembly program"),
)  # fmt: skip

_COMPILED = tuple((re.compile(pattern.encode("latin-1"), re.DOTALL), what)
                  for pattern, what in _SIGNATURES)  # fmt: skip
_UTF_32_MARKS = (b"\xff\xfe\x00\x00", b"\x00\x00\xfe\xff")
_REMOVED = re.compile(r"(\d+) control characters removed")


def kind_of(content: bytes) -> str | None:
    """What the first bytes say the content is, where that is nothing to read as text."""
    return next((what for pattern, what in _COMPILED if pattern.match(content)), None)


def broken_share(decoded: Cleaned) -> tuple[int, float]:
    """How many control and replacement characters were decoded, and their share (0 to 1)."""
    removed = sum(int(found[1]) for note in decoded.notes if (found := _REMOVED.fullmatch(note)))
    broken = removed + decoded.text.count("\ufffd")
    return broken, broken / max(1, len(decoded.text) + removed)


def refuse_signature(content: bytes, where: str) -> None:
    """Raise a `DataError` if `content` begins like a file of a kind that holds no plain text."""
    if what := kind_of(content):
        raise DataError(f"{where}: not a text but a {what}, by its first bytes")


def refuse_broken(content: bytes, decoded: Cleaned, where: str) -> None:
    """Raise a `DataError` if too much of what `content` was decoded to is no character of a text.

    The limits are `MOST_BROKEN` and `FEWEST_BROKEN`.
    """
    broken, share = broken_share(decoded)
    if broken > FEWEST_BROKEN and share > MOST_BROKEN and not content.startswith(_UTF_32_MARKS):
        raise DataError(
            f"{where}: not a text: {share:.0%} of its characters are controls or unreadable "
            f"(at most {MOST_BROKEN:.0%} are taken for damage)"
        )
