"""Text that later steps can trust: decoded, composed, and free of what nobody can see.

`clean` is applied to everything that comes from outside.  What it repairs is counted in its
notes, so that no change is silent.  Every step is linear in the length of the text.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import regex

LONGEST_MARK_RUN = 30
"""Combining marks kept in a row (the limit of Unicode's stream-safe format, UAX 15).

Longer runs are in no orthography, and composing them takes time that grows with their square.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleaned:
    """A text, and what had to be repaired in it (empty if nothing)."""

    text: str
    notes: tuple[str, ...] = ()


class _Repair(NamedTuple):
    pattern: Any
    replacement: str | Callable[[Any], str]
    what: str


_MARK = regex.compile(r"\p{M}")
_OVERLONG_MARKS = regex.compile(rf"(\p{{M}}{{{LONGEST_MARK_RUN}}})\p{{M}}+")

# Pages labelled ISO 8859-1 mean windows-1252, where 0x80-0x9F are quotes and dashes.
_WINDOWS_1252 = {
    chr(byte): bytes([byte]).decode("cp1252")
    for byte in range(0x80, 0xA0)
    if byte not in {0x81, 0x8D, 0x8F, 0x90, 0x9D}
}

# Bidirectional embeddings, overrides and isolates can show text in another order than the one
# it is read in, and go on past the sentence they were cut out of: removed.  The marks LRM, RLM
# and ALM stay, as do ZWJ and ZWNJ: they act on their neighbours only, and Hebrew, Arabic,
# Persian and Indic orthography needs them.  Tag characters are invisible writing.  A zero-width
# space separates words in South-East Asian scripts and is debris elsewhere.
_REPAIRS = (
    _Repair(regex.compile(r"\r\n?|[\v\f\u2028\u2029]"), "\n", "line ends made uniform"),
    _Repair(regex.compile("[\ud800-\udfff]"), "\ufffd", "lone surrogates replaced by U+FFFD"),
    _Repair(
        regex.compile(f"[{''.join(_WINDOWS_1252)}]"),
        lambda found: _WINDOWS_1252[found[0]],
        "C1 controls read as the windows-1252 characters they stood for",
    ),
    _Repair(regex.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f]"), "", "control characters removed"),
    _Repair(regex.compile(r"\ufeff"), "", "byte order marks removed"),
    _Repair(
        regex.compile(r"[\u202a-\u202e\u2066-\u2069\u206a-\u206f]"),
        "",
        "bidirectional override controls removed",
    ),
    _Repair(
        regex.compile(
            r"[\u00ad\u2060-\u2064\U000e0000-\U000e007f\ufdd0-\ufdef\ufffe\uffff]"
            r"|(?<![\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}])\u200b"
        ),
        "",
        "invisible characters removed",
    ),
    _Repair(regex.compile(r"[\u00a0\u2007\u202f]"), " ", "no-break spaces made ordinary"),
    _Repair(
        _OVERLONG_MARKS, r"\1", f"runs of more than {LONGEST_MARK_RUN} combining marks cut short"
    ),
)

# C1 controls stay: windows-1252 quotes labelled as something else are read when text is cleaned.
_REPAIRS_OF_MARKUP = (
    _Repair(re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]"), "", "control characters removed"),
)


def clean(text: str) -> Cleaned:
    """`text` in NFC with newlines as line ends, without controls, surrogates, hidden characters.

    Each kind of repair is one note with its count.  Replacement characters that the text came
    with are kept and noted, since nobody knows what they were.
    """
    notes: list[str] = []
    came_broken = text.count("\ufffd")
    if came_broken:
        notes.append(f"{came_broken} replacement characters (U+FFFD) were in the text")
    # Which characters there are at all is known six times faster than where they stand.
    present = "\n".join(set(text))
    needed = [
        repair
        for repair in _REPAIRS
        if (_MARK if repair.pattern is _OVERLONG_MARKS else repair.pattern).search(present)
    ]
    repaired = _repaired(text, needed)
    text = repaired.text
    notes += repaired.notes
    if not unicodedata.is_normalized("NFC", text):
        text = unicodedata.normalize("NFC", text)
        notes.append("text composed (NFC)")
    return Cleaned(text=text, notes=tuple(notes))


def _repaired(text: str, repairs: Iterable[_Repair]) -> Cleaned:
    """`text` after `repairs`, each that changed something noted with its count."""
    notes: list[str] = []
    for pattern, replacement, what in repairs:
        text, count = pattern.subn(replacement, text)
        if count:
            notes.append(f"{count} {what}")
    return Cleaned(text=text, notes=tuple(notes))


def composed(text: str) -> str:
    """`text` in NFC, in time linear in its length."""
    if text.isascii() or unicodedata.is_normalized("NFC", text):
        return text
    return unicodedata.normalize("NFC", _OVERLONG_MARKS.sub(r"\1", text))


# WHATWG encodings whose decoder is Python's codec of another name.
_CODECS = {
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "euc-kr": "cp949",
    "shift_jis": "cp932",
    "iso-8859-8-i": "iso8859-8",
    "macintosh": "mac-roman",
    "windows-874": "cp874",
    "x-mac-cyrillic": "mac-cyrillic",
    "x-user-defined": "cp1252",
}
_ONE_BYTE = ("windows-", "iso-8859-", "koi8-", "macintosh", "x-mac-", "ibm866", "x-user-defined")
_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16le"), (b"\xfe\xff", "utf-16be"))
_LABEL = regex.compile(r"""charset\s*=\s*["']?\s*([\w:.-]+)""", regex.IGNORECASE)
_META = regex.compile(
    rb"""<(?:meta|\?xml)\b[^>]{0,500}?(?:charset|encoding)\s*=\s*["']?\s*([\w:.-]+)""",
    regex.IGNORECASE,
)
_META_WINDOW = 8192
_GUESS_WINDOW = 32 * 1024
_GUESSABLE = [
    *(f"cp{number}" for number in (1252, 1251, 1250, 1254, 1253, 1255, 1256, 1257, 1258)),
    *("koi8_r", "koi8_u", "iso8859_2", "iso8859_5", "iso8859_7", "cp874"),
    *("gb18030", "big5", "cp932", "euc_jp", "cp949"),
]
_HIGH = bytes(range(0x80, 0x100))


def decode_markup(content: bytes, declared: str | None = None) -> Cleaned:
    """Bytes of a page as text that a parser takes: decoded as by `decode`, hardly cleaned.

    Only controls, which no markup may hold, are removed: what is taken from the page is cleaned
    later, and that is a hundredth of it.
    """
    return _with_notes(content, declared, _REPAIRS_OF_MARKUP)


def decode(content: bytes, declared: str | None = None) -> Cleaned:
    """Bytes of a page or file as cleaned text.

    `declared` is the charset of the HTTP header or file format, alone or in a ``Content-Type``.
    The order is byte order mark, `declared`, the ``meta`` tag, strict UTF-8, then a guess;
    labels mean what the WHATWG Encoding Standard says (``iso-8859-1`` is windows-1252).  A
    declaration that the bytes contradict is passed over with a note; what the chosen decoder
    cannot read becomes U+FFFD, counted in a note.
    """
    return _with_notes(content, declared, None)


def _with_notes(
    content: bytes, declared: str | None, repairs_alone: tuple[_Repair, ...] | None
) -> Cleaned:
    """The decoded text, wholly cleaned or with only some repairs, and what there is to say."""
    notes: list[str] = []
    text, encoding = _decoded(content, declared, notes)
    lost = _lost(text, content)
    if lost:
        notes.append(f"{lost} invalid byte sequences replaced by U+FFFD ({encoding})")
    cleaned = clean(text) if repairs_alone is None else _repaired(text, repairs_alone)
    repairs = (note for note in cleaned.notes if not (lost and "(U+FFFD) were" in note))
    return Cleaned(text=cleaned.text, notes=(*notes, *repairs))


def _decoded(content: bytes, declared: str | None, notes: list[str]) -> tuple[str, str]:
    """The text and the name of the encoding it was read in; adds to `notes`."""
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return _in(content[len(mark) :], encoding), encoding
    for label, origin in ((_charset(declared), "declared"), (_meta(content), "meta tag")):
        encoding_or_none = _whatwg(label) if label else None
        if label and encoding_or_none is None:
            notes.append(f"unknown charset {label[:40]!r} ({origin}) passed over")
        if encoding_or_none is None:
            continue
        encoding = encoding_or_none
        if encoding.startswith("utf-16") and origin == "meta tag":
            encoding = "utf-8"  # A tag that can be read as bytes is not in UTF-16 (WHATWG).
        # Accented text in a one-byte encoding is practically never valid UTF-8, so here the
        # bytes know better than a server's default header.
        if encoding.startswith(_ONE_BYTE) and not content.isascii() and _is_utf8(content):
            notes.append(f"read as utf-8, which the bytes are ({origin}: {label!r})")
            return _in(content, "utf-8"), "utf-8"
        text = _in(content, encoding)
        if _fits(text, content, spared=2):
            if encoding != "utf-8" and not content.isascii():
                notes.append(f"read as {encoding} ({origin})")
            return text, encoding
        notes.append(f"charset {label!r} ({origin}) does not fit the bytes")
    encoding = _wide_without_mark(content) or "utf-8"
    text = _in(content, encoding)
    if encoding == "utf-8" and not _fits(text, content, spared=0):
        encoding = _guess(content)
        text = _in(content, encoding)
    if encoding != "utf-8":
        notes.append(f"read as {encoding} (guessed)")
    return text, encoding


def _in(content: bytes, encoding: str) -> str:
    return content.decode(_CODECS.get(encoding, encoding), errors="replace")


def _lost(text: str, content: bytes) -> int:
    """How many byte sequences became U+FFFD that were not U+FFFD before."""
    return max(0, text.count("\ufffd") - content.count(b"\xef\xbf\xbd"))


def _fits(text: str, content: bytes, spared: int) -> bool:
    """Whether damage explains what was lost: at most a tenth of the non-ASCII bytes."""
    high = len(content) - len(content.translate(None, _HIGH))
    return _lost(text, content) <= max(spared, high // 10)


def _is_utf8(content: bytes) -> bool:
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _charset(declared: str | None) -> str | None:
    found = _LABEL.search(declared) if declared else None
    if found:
        return str(found[1])
    return None if declared is None or "/" in declared else declared.strip() or None


def _meta(content: bytes) -> str | None:
    found = _META.search(content[:_META_WINDOW])
    return found[1].decode("ascii", errors="replace") if found else None


def _whatwg(label: str) -> str | None:
    """The name of the encoding that a label means in the WHATWG Encoding Standard.

    None for labels it does not list, and for those it lists as unsafe ("replacement").
    """
    import webencodings

    encoding = webencodings.lookup(label)
    return None if encoding is None or encoding.name == "replacement" else str(encoding.name)


def _wide_without_mark(content: bytes) -> str | None:
    """UTF-16 told by zeros in most even or most odd places, as Latin text and markup have them."""
    sample = content[:4096]
    half = len(sample) // 2
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    if half < 4 or max(even, odd) < 0.6 * half or min(even, odd) > 0.1 * half:
        return None
    return "utf-16be" if even > odd else "utf-16le"


def _guess(content: bytes) -> str:
    """The encoding that the bytes look most like, judged where the non-ASCII ones begin."""
    import charset_normalizer

    first = regex.search(rb"[\x80-\xff]", content)
    start = max(0, first.start() - 256) if first else 0
    sample = content[start : start + _GUESS_WINDOW]
    matches = charset_normalizer.from_bytes(sample, cp_isolation=_GUESSABLE)
    likeness = {match.encoding: match.coherence - match.chaos / 2 for match in matches}
    # Many encodings tie on short text: likeness to a language first, then the commoner one.
    return max(
        likeness,
        key=lambda name: (likeness[name], -_GUESSABLE.index(name)),
        default="cp1252",
    )
