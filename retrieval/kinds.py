"""The names under which pages that become no document are counted."""

from collections.abc import Mapping

TOO_LARGE = "too-large"
NOT_A_PAGE = "not-a-page"
EMPTY = "empty"
TOO_COMPLEX = "too-complex"
TOO_DEEP = "too-deep"
NO_TEXT = "no-text"
TIMEOUT = "timeout"
CRASH = "crash"
OUT_OF_MEMORY = "out-of-memory"

KINDS: Mapping[str, str] = {
    TOO_LARGE: "more bytes than a page may have",
    NOT_A_PAGE: "a picture, an archive or another thing that is no web page",
    EMPTY: "nothing in it",
    TOO_COMPLEX: "more elements than any report has",
    TOO_DEEP: "nested so deeply that its text is lost",
    NO_TEXT: "no text could be found on it",
    TIMEOUT: "extraction took longer than it may",
    CRASH: "the process that extracted it died",
    OUT_OF_MEMORY: "extraction took more memory than it may",
    "redirect-page": "nothing but a pointer to another page",
    "home-page": "the front page of a site",
    "section-page": "a list of reports: a section, a tag, an author, search results",
    "consent-page": "asks for consent to cookies or the use of data in place of a report",
    "script-wall": "asks for scripts, a captcha or a newer browser in place of a report",
    "paywall": "asks to subscribe or sign in in place of a report",
    "soft-404": "says that there is no such page, with the status of one that there is",
    "not-an-article": "a picture, a film, a forum thread or a form by its own account",
    "cipher-text": "letters that are words of no language, as hidden subscribers' text is",
    "wrong-page": "another page than the one pointed at, by its title",
    "too-short": "too few letters for a report",
    "boilerplate-page": "the same text as several other addresses of its host",
}
"""Every kind of rejection of a page, and what it means."""
