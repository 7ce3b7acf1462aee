"""What is fuzzed: each parser of what comes from outside, its seeds, and what it may do.

A target takes any bytes.  It may return, raise a `GlobeSummError` that says what is wrong, or
(readers of answers) `Unusable`; anything else is a fault.
"""

import json
import os
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from functools import cache
from pathlib import Path

from annotation.answers import list_reader, text_reader
from annotation.author import Unusable
from annotation.findings import read_issues, read_strategies
from annotation.labels.exchange import flat, jsonl, label_studio
from annotation.published import read_published
from annotation.schemas import passages
from globesumm import config
from globesumm.errors import GlobeSummError
from globesumm.languages import LANGUAGES, UNKNOWN
from globesumm.llm.errors import ModelError
from globesumm.llm.request import Completion, Message, Request
from globesumm.llm.server_replies import completion_from
from globesumm.records import from_json, to_json
from globesumm.values import Document, Issue, IssueKind, Rejected
from metrics.cre_verdicts import read_verdicts
from metrics.facts.replies import read_matches, read_support
from retrieval.draft import RawPage
from retrieval.events import settings as events_settings
from retrieval.extract_page import Extraction, result_of
from retrieval.gdelt.articles import articles
from retrieval.gdelt.lists import read_list
from retrieval.gdelt.names import Product, Stream
from retrieval.gdelt.rows import MOST_NAMED, Tally
from retrieval.gdelt.tables import table_rows
from retrieval.kinds import KINDS
from retrieval.language import detect
from retrieval.portal.events import Origin
from retrieval.portal.html import read_html
from retrieval.portal.wikitext import read_wikitext
from retrieval.read import read
from retrieval.warc import pages_in
from tests.fuzz import seeds
from tests.grid.conftest import event

Run = Callable[[bytes], None]
ANSWERED = (GlobeSummError, Unusable)
NOW = datetime(2024, 1, 1, tzinfo=UTC)
MARK = seeds.MARK


@dataclass(frozen=True, kw_only=True)
class Target:
    """`run` parses; `seeds` are whole inputs of real shape, `words` what they are changed with.

    `share` of the inputs that others get are tried in a short run, where one takes a hundred times
    as long as another.  Mutated inputs have up to `longest` bytes: long ones take long and reach no
    more branches (tests/fuzz/test_long_inputs.py has long ones).
    """

    run: Run
    seeds: Callable[[], list[bytes]]
    words: tuple[bytes, ...] = ()
    share: float = 1.0
    longest: int = 1024


def carry_out(target: Target, content: bytes) -> bool:
    """Whether `content` was taken; a refusal must have words of its own, in one line."""
    try:
        target.run(content)
    except ANSWERED as error:
        _worded(error)
        return False
    return True


def _worded(error: Exception) -> None:
    if not str(error).strip():
        raise AssertionError(f"{type(error).__name__} without a word")


@cache
def _folder() -> Path:
    """One file at a time is parsed by path, in memory where the system has such a place."""
    place = Path("/dev/shm")
    return Path(tempfile.mkdtemp(prefix="globesumm-fuzz-", dir=place if place.is_dir() else None))


def file_of(content: bytes, name: str) -> Path:
    path = _folder() / f"{os.getpid()}-{name}"
    path.write_bytes(content)
    return path


def text_of(content: bytes) -> str:
    """Text as models give it: lone surrogates are not excluded by any of their servers."""
    return content.decode("utf-8", errors="surrogateescape")


def gkg_rows(content: bytes) -> None:
    stream = Stream.TRANSLATED if content[-1:] == b" " else Stream.ENGLISH
    tally = Tally("file", Product.GKG)
    kept = list(articles([content], stream, tally))
    assert tally.counts["kept"] == len(kept)
    assert all(one.url.lower().startswith(("http://", "https://")) for one in kept)
    _accounted(tally)


def gdelt_tables(content: bytes) -> None:
    product = Product.MENTIONS if content[:1] == b"m" else Product.EXPORT
    tally = Tally("file", product)
    assert len(list(table_rows([content[1:]], Stream.ENGLISH, tally))) == tally.counts["kept"]
    _accounted(tally)


def _accounted(tally: Tally) -> None:
    counts = tally.counts
    assert counts["rows"] == counts["kept"] + counts["not_web"] + counts["rejected"]
    assert len(tally.rejected) == min(counts["rejected"], MOST_NAMED)


def gdelt_lists(content: bytes) -> None:
    found = read_list(file_of(content, "list.txt"))
    held = len(found.files) + len(found.rejected) + found.blank
    assert held <= found.lines


DAY = date(2023, 5, 15)


def wikitext(content: bytes) -> None:
    for day in read_wikitext(content.decode("utf-8", errors="replace"), Origin(where="x"), DAY):
        assert all(to_json(event) for event in day.events)


def portal_html(content: bytes) -> None:
    for day in read_html(content, Origin(where="x"), DAY):
        assert all(to_json(event) for event in day.events)


EXTRACTION = Extraction(now=NOW, fewest_letters=20)


def article(content: bytes) -> None:
    one = result_of(RawPage(content=content, where="page"), EXTRACTION)
    if isinstance(one, Rejected):
        assert one.kind in KINDS
        assert one.kind != "crash", one.reason
    else:
        assert one.text.strip()
        assert from_json(Document, to_json(one)) == one


def published(content: bytes) -> None:
    for one in read_published(file_of(content, "published.json")):
        assert isinstance(one, Rejected) or to_json(one)


def own_documents(content: bytes) -> None:
    """JSON Lines, CSV and plain text as ``globesumm read`` takes them."""
    name = {b"{": "own.jsonl", b"i": "own.csv"}.get(content[:1], "own.txt")
    # Telling languages apart takes a hundred times as long; it is a target of its own.
    for one in read(file_of(content, name), candidates=["en"]):
        assert isinstance(one, Rejected) or from_json(Document, to_json(one)) == one


def language(content: bytes) -> None:
    found = detect(content.decode("utf-8", errors="replace"))
    assert found.language == UNKNOWN or found.language in LANGUAGES
    assert 0 <= found.probability <= 1


def toml(content: bytes) -> None:
    """An experiment, or a file of the event chain."""
    load = events_settings.load if content[:1] == b"f" else config.load
    load(str(file_of(content, "own.toml")))


def list_replies(content: bytes) -> None:
    text = text_of(content)
    for reader in (list_reader("fr"), text_reader("en"), list_reader("zh", "橋")):
        try:
            assert reader(text).items
        except Unusable as error:
            _worded(error)


REPORTS = tuple(passages(event(0)))
CONFLICTS = (Issue(kind=IssueKind.CONFLICT, statements=()),) * 2


def issue_replies(content: bytes) -> None:
    text = text_of(content)
    try:
        assert all(to_json(one) for one in read_issues(text, REPORTS).issues)
    except Unusable as error:
        _worded(error)
    settled = read_strategies(text, CONFLICTS)
    assert to_json(settled)


def judge_replies(content: bytes) -> None:
    text = text_of(content)
    count = 1 + len(content) % 3
    matches, support = read_matches(text, count, 4, MARK), read_support(text, count, mark=MARK)
    verdicts = read_verdicts(text, count, MARK)
    for held in (matches.verdicts, support.verdicts, verdicts.verdicts):
        assert held is None or len(held) == count
    for one in (matches, support):
        assert one.verdicts is not None or one.reason


def server_replies(content: bytes) -> None:
    request = Request(model="m", messages=(Message("user", "x"),))
    try:
        completion = completion_from(text_of(content), request, "http://x", ())
    except ModelError as error:
        if len(str(error).splitlines()) != 1:
            raise AssertionError("more than a line") from error
        raise
    assert completion.text.strip()
    assert from_json(Completion, to_json(completion)) == completion


def call_records(content: bytes) -> None:
    for kind in (Request, Completion):
        try:
            value = from_json(kind, content, "row 1")
        except GlobeSummError:
            continue
        assert from_json(kind, to_json(value), "again") == value


def warc(content: bytes) -> None:
    name = "own.warc.gz" if content[:2] == b"\x1f\x8b" else "own.warc"
    for one in pages_in(file_of(content, name), 1 << 20):
        assert isinstance(one, RawPage) or one.kind


def labels(content: bytes) -> None:
    """Exchange files of labels: lines, tables and Label Studio's tasks."""
    if content[:1] == b"[":
        found = label_studio.read(file_of(content, "labels.json"))
    elif content[:1] == b"{":
        found = jsonl.read(file_of(content, "labels.jsonl"))
    else:
        found = flat.read(file_of(content, "labels.csv"))
    assert all(one.reason for one in found.rejected)
    assert all(replace(one) == one and to_json(one) for one in found.labels)


HTML_WORDS = (
    b"<p>", b"</p>", b"<div>", b"<script type='application/ld+json'>", b"</script>", b"<!--",
    b"<meta property='og:title' content='", b"&#xD800;", b"<table><td colspan=999999999>",
    b"<base href=//[", b"<time datetime='99999-13-45'>", b"<svg>", b"<![CDATA[", b"\xff\xfe",
    b'{"@type": "NewsArticle", "author": [', b"<html lang='zz-", b"<ul><li>",
)  # fmt: skip
JSON_WORDS = (
    b"null", b"NaN", b"1e999", b"-0", b'"\\ud800"', b"[[", b"{}", b"true", b'""', b"9" * 30,
)  # fmt: skip

TARGETS: Mapping[str, Target] = {
    "gkg rows": Target(
        run=gkg_rows,
        seeds=seeds.gkg,
        words=(b"\t", b"\n", b"srclc:fra;eng:x", b"<PAGE_TITLE>", b"20231399999999", b"http://[::1"),
    ),
    "gdelt tables": Target(
        run=gdelt_tables,
        seeds=seeds.tables,
        words=(b"\t", b"\n", b"NaN", b"-1e999", b"20230230000000"),
    ),
    "gdelt lists": Target(
        run=gdelt_lists,
        seeds=seeds.lists,
        words=(b".gkg.csv.zip", b" ", b"\n", b"translation"),
    ),
    "portal wikitext": Target(
        run=wikitext,
        seeds=seeds.wikitext,
        words=(b"{{", b"}}", b"[[", b"]]", b"'''", b"\n*", b"<ref>", b"<!--", b"|", b"[http://"),
        share=0.05,
    ),
    "portal HTML": Target(
        run=portal_html,
        seeds=seeds.portal_html,
        words=HTML_WORDS,
        share=0.1,
    ),
    "article HTML through the gate": Target(
        run=article,
        seeds=seeds.articles,
        words=HTML_WORDS,
        share=0.02,
        longest=2048,
    ),
    "published-format JSON": Target(
        run=published,
        seeds=seeds.published,
        words=JSON_WORDS,
        share=0.3,
        longest=2048,
    ),
    "own documents": Target(
        run=own_documents,
        seeds=seeds.own_documents,
        words=(*JSON_WORDS, b"\n", b",", b'"', b"\0"),
        share=0.3,
    ),
    "language of a text": Target(
        run=language,
        seeds=seeds.texts,
        words=(*map(str.encode, ("ж", "ा", "الـ", "的", "ß", "\ufffd")), b"https://"),
        share=0.02,
        longest=512,
    ),
    "config TOML": Target(
        run=toml,
        seeds=seeds.toml,
        words=(b"[[models]]", b"= nan", b"= -1", b"= []", b"\n", b"\\u0000", b"= 1979-05-27"),
        share=0.3,
        longest=3072,
    ),
    "list replies": Target(
        run=list_replies,
        seeds=seeds.list_replies,
        words=(b"\n", b"1. ", b"- ", b"```", b'["', b"{'", b"\\u", b"\xe2\x91\xa0"),
    ),
    "issue replies": Target(
        run=issue_replies,
        seeds=seeds.issue_replies,
        words=(*JSON_WORDS, b"1:1", b"[[1, 1]", b"conflict", b"\n- ", b"\xc2\xb2", b"update"),
    ),
    "judge replies": Target(
        run=judge_replies,
        seeds=seeds.judge_replies,
        words=(MARK.encode(), b'"fact": 1', b"[", b"]", b"{", b"}", b"\xe2\x88\x92", b"9" * 30),
    ),
    "server replies": Target(
        run=server_replies,
        seeds=seeds.server_replies,
        words=(*JSON_WORDS, b'"finish_reason": "length"', b'"refusal": ', b"<think>", b"</think>"),
    ),
    "call-store records": Target(
        run=call_records,
        seeds=seeds.call_records,
        words=JSON_WORDS,
    ),
    "WARC records": Target(
        run=warc,
        seeds=seeds.warc,
        words=(b"WARC/1.0\r\n", b"Content-Length: ", b"\r\n\r\n", b"\x1f\x8b", b"HTTP/1.1 200 OK"),
        share=0.3,
        longest=3072,
    ),
    "label exchange files": Target(
        run=labels,
        seeds=seeds.labels,
        words=(*JSON_WORDS, b"\n", b",", b"'=", b'""'),
        share=0.3,
        longest=2048,
    ),
}  # fmt: skip


def describe(content: bytes) -> str:
    """`content` for a message."""
    return json.dumps(content[:400].decode("latin-1"))
