"""Cleaning and decoding: what comes from outside is repaired, and every repair is counted."""

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from globesumm.text.clean import clean, composed, decode


@pytest.mark.parametrize(
    ("text", "expected", "note"),
    [
        ("a\r\nb\rc\u2028d\u2029e\ff", "a\nb\nc\nd\ne\nf", "5 line ends"),
        ("a\x00b\x07\x1b[0m\x7f", "ab[0m", "4 control"),
        ("\x93Hi\x94 \x96 5\x80\x85", "“Hi” – 5€…", "5 C1 controls"),
        ("a\x81b", "ab", "1 control"),
        ("a\ud800b\udfff", "a\ufffdb\ufffd", "2 lone surrogates"),
        ("\ufeffa\ufeffb", "ab", "2 byte order marks"),
        ("a\u202eb\u202c \u2066c\u2069", "ab c", "4 bidirectional"),
        ("Re\u00adgie\u00adrung a\u2060b\u200bc", "Regierung abc", "4 invisible"),
        ("x\U000e0041\U000e0042\ufffey", "xy", "3 invisible"),
        ("3,7\u00a0%\u202f!", "3,7 % !", "2 no-break"),
        ("e\u0301te\u0301", "été", "composed"),
        ("a" + "\u0301" * 1000, "á" + "\u0301" * 29, "1 runs of more than 30"),
        ("b\ufffdd", "b\ufffdd", "1 replacement characters"),
    ],
)
def test_each_kind_of_damage_is_repaired_and_counted(text: str, expected: str, note: str) -> None:
    cleaned = clean(text)
    assert cleaned.text == expected
    assert any(part.startswith(note) or note in part for part in cleaned.notes), cleaned.notes


@pytest.mark.parametrize(
    "text",
    [
        "", "Plain text.\n\tTwo lines.", "שלום \u200f(א)\u200e", "می\u200cخواهد", "क्\u200dष",
        "ภาษา\u200bไทย", "👩\u200d👩\u200d👧 🇪🇺", "„So“ – «oui» … €", "हिन्दी שָׁלוֹם",
    ],
)  # fmt: skip
def test_sound_text_of_any_script_is_left_alone_without_a_note(text: str) -> None:
    assert clean(text).text == text
    assert clean(text).notes == ()


@given(st.text(alphabet=st.characters(), max_size=300))
def test_cleaned_text_is_clean(text: str) -> None:
    once = clean(text)
    assert clean(once.text).text == once.text
    assert once.text == unicodedata.normalize("NFC", once.text)
    once.text.encode("utf-8")
    assert all(
        character in "\n\t" or unicodedata.category(character) not in {"Cc", "Cs", "Zl", "Zp"}
        for character in once.text
    )
    if once.text != text:
        assert once.notes


@given(st.text(alphabet="a\u0301\u0323\u05b0 é한", max_size=100))
def test_composing_is_nfc_where_no_run_of_marks_is_overlong(text: str) -> None:
    expected = unicodedata.normalize("NFC", text)
    if (
        len(max(text.replace("é", "a").replace("한", "a").replace(" ", "a").split("a"), key=len))
        <= 30
    ):
        assert composed(text) == expected


RUSSIAN = "Это новости о погоде в Москве и области."


@pytest.mark.parametrize(
    ("content", "declared", "expected"),
    [
        # Byte order mark before everything.
        (b"\xef\xbb\xbf" + "Größe".encode(), "iso-8859-1", "Größe"),
        (b"\xff\xfe" + "Größe".encode("utf-16-le"), "utf-8", "Größe"),
        (b"\xfe\xff" + "Größe".encode("utf-16-be"), None, "Größe"),
        # Declared before meta, meta before UTF-8.
        (b'<meta charset="koi8-r">' + RUSSIAN.encode("cp1251"), "windows-1251", RUSSIAN),
        (b'<meta charset="iso-8859-1">m\xf6\xf6se', None, "möö" + "se"),
        (
            b"<meta http-equiv=Content-Type content='text/html; charset=windows-1251'>"
            + RUSSIAN.encode("cp1251"),
            None,
            RUSSIAN,
        ),
        (b'<?xml version="1.0" encoding="koi8-r"?>' + RUSSIAN.encode("koi8-r"), None, RUSSIAN),
        (RUSSIAN.encode("koi8-r"), 'text/html; charset="KOI8-R"', RUSSIAN),
        # Labels as browsers read them.
        (b"\x93Hi\x94 \x80 5", "ISO-8859-1", "“Hi” € 5"),
        (b"\x93Hi\x94", "us-ascii", "“Hi”"),
        ("İğdır".encode("cp1254"), "iso-8859-9", "İğdır"),
        ("①髙".encode("cp932"), "shift_jis", "①髙"),
        ("똠방각하".encode("cp949"), "euc-kr", "똠방각하"),
        ("鎔基，朱镕基".encode("gb18030"), "gb2312", "鎔基，朱镕基"),
        ("הממשלה".encode("iso-8859-8"), "iso-8859-8-i", "הממשלה"),
        ("ไทย".encode("cp874"), "tis-620", "ไทย"),
        # A server's default header does not spoil UTF-8.
        ("Größe und Maß".encode(), "text/html; charset=ISO-8859-1", "Größe und Maß"),
        ("Größe".encode(), "text/html", "Größe"),
        ("Größe".encode(), "klingon", "Größe"),
        ("<p>Größe</p>".encode("utf-16-le"), None, "<p>Größe</p>"),
        # Guesses.
        (RUSSIAN.encode("cp1251"), None, RUSSIAN),
        ("café naïve résumé déjà vu".encode("cp1252"), None, "café naïve résumé déjà vu"),
        (
            "政府提高了最低工资，工会表示欢迎。".encode("gbk"),
            None,
            "政府提高了最低工资，工会表示欢迎。",
        ),
        (b"", None, ""),
    ],
)
def test_bytes_are_read_in_the_order_mark_header_meta_utf8_guess(
    content: bytes, declared: str | None, expected: str
) -> None:
    assert decode(content, declared).text.endswith(expected)
    assert "\ufffd" not in decode(content, declared).text


def test_utf8_as_expected_needs_no_note() -> None:
    assert decode("Größe".encode(), "utf-8").notes == ()
    assert decode("Größe".encode()).notes == ()


@pytest.mark.parametrize("declared", ["utf-8", None])
def test_a_few_invalid_bytes_do_not_turn_the_rest_into_another_encoding(
    declared: str | None,
) -> None:
    content = RUSSIAN.encode() + b" \xd0 " + RUSSIAN.encode()
    cleaned = decode(content, declared)
    assert cleaned.text == f"{RUSSIAN} \ufffd {RUSSIAN}"
    assert cleaned.notes == ("1 invalid byte sequences replaced by U+FFFD (utf-8)",)


def test_an_invalid_byte_in_a_declared_utf8_row_costs_that_byte_only() -> None:
    assert decode(b"abc \xc3\x28 def", "utf-8").text == "abc \ufffd( def"


def test_a_wrong_declaration_is_passed_over_with_a_note() -> None:
    cleaned = decode(RUSSIAN.encode("cp1251"), "utf-8")
    assert cleaned.text == RUSSIAN
    assert any("does not fit" in note for note in cleaned.notes)
    assert any("guessed" in note for note in cleaned.notes)


def test_an_unknown_charset_is_named() -> None:
    assert decode(b"abc", "klingon").notes == ("unknown charset 'klingon' (declared) passed over",)


@given(st.binary(max_size=300), st.sampled_from([None, "utf-8", "gbk", "utf-16", "iso-2022-jp"]))
def test_any_bytes_give_clean_text(content: bytes, declared: str | None) -> None:
    decode(content, declared).text.encode("utf-8")


def test_every_label_of_the_standard_has_a_decoder() -> None:
    from webencodings.labels import LABELS

    for label, name in LABELS.items():
        notes = decode(b"\x00a" * 2 if name.startswith("utf-16") else b"aa", label).notes
        assert (name == "replacement") == any("unknown charset" in note for note in notes), label


@pytest.mark.parametrize(
    "unit", ["a", "\x00", "e\u0301", "\u0323\u0301", "\u200b", "<meta ", "\r", "\ud800", "\u202e"]
)
def test_a_huge_line_is_cleaned_in_linear_time(unit: str) -> None:
    text = unit * (2_000_000 // len(unit))
    started = time.perf_counter()
    clean(text)
    decode(text.encode("utf-8", errors="surrogatepass"))
    assert time.perf_counter() - started < 10
