"""Whole inputs of real shape that fuzzing starts from; most are made by this project's writers."""

import csv
import gzip
import io
import json
import tempfile
from pathlib import Path

from globesumm import config, samples
from globesumm.llm.request import Completion, Message, Request, Usage
from globesumm.records import to_json
from tests.facts import reply_grammar
from tests.grid.answering_server import ISSUES, STRATEGIES
from tests.label_results.test_label_exchange import everything, filled
from tests.llm.conftest import choice, reply
from tests.retrieval.gdelt_files import gkg_row
from tests.retrieval.mirror.newspapers import article
from tests.retrieval.test_warc_files import page, record

MARK = reply_grammar.MARK


def gkg() -> list[bytes]:
    row = gkg_row()
    return [row + b"\n", row + b"\n" + row.replace(b"\t1\t", b"\t2\t", 1) + b" "]


def tables() -> list[bytes]:
    from retrieval.gdelt.names import Product
    from retrieval.gdelt.schema import raw_columns

    return [
        first + b"\t".join(
            b"20230502100000" if column.type == "time" else b"1" for column in raw_columns(product)
        ) + b"\n"
        for first, product in ((b"m", Product.MENTIONS), (b"e", Product.EXPORT))
    ]  # fmt: skip


def lists() -> list[bytes]:
    base = "http://data.gdeltproject.org/gdeltv2"
    lines = [
        f"{size} {size:032x} {base}/20230501{hour:02}0000{stream}.{product}.zip"
        for size, hour, stream, product in (
            (318084, 0, "", "gkg.csv"), (9, 1, ".translation", "gkg.csv"), (7, 2, "", "export.CSV"),
        )
    ]  # fmt: skip
    return ["\n".join(lines).encode() + b"\n", lines[0].encode()]


WIKITEXT = """{{Current events|year=2023|month=05|day=15|content=
<!-- All news items below this line -->
'''[[Armed conflict]]s and attacks'''
*[[War in Foo]]
**[[Bar City#History|Bar]] falls to the ''army''. [https://a.example/1 (A)] [https://b.example (B)]
*{{flag|Foo}} [[Election]]: {{ill|Someone|de|Jemand}} wins.<ref>x</ref> [https://c.example (C)]
'''Sports'''
*[[2023 Cup]]
**A wins 2–1. [https://d.example ''(D)'']
<!-- All news items above this line -->}}"""


def wikitext() -> list[bytes]:
    old = WIKITEXT.replace("{{Current events|", "{{Current events header|").replace(
        "|content=", "}}"
    )
    return [WIKITEXT.encode(), old.encode()]


def portal_html() -> list[bytes]:
    return [
        b"""<div class="current-events" id="2023_May_15"><div class="current-events-main vevent">
<div class="current-events-heading plainlinks"><span class="summary">May 15, 2023
<span class="bday dtstart published">2023-05-15</span></span></div>
<div class="current-events-content description"><p><b>Disasters and accidents</b></p>
<ul><li><a href="/wiki/Flood" title="Flood">A flood</a><ul><li>A river floods <a href="/wiki/Bar">
Bar</a>. <a rel="nofollow" class="external text" href="https://a.example/1">(A)</a></li></ul></li>
</ul></div></div></div>"""
    ]


SHORT_PAGES = (
    """<html lang=en><title>A bridge closed</title><meta name=date content=2023-09-09><article>
<h1>A bridge closed</h1><p>The bridge over the river closed on Monday after engineers found cracks.
<p>Repairs take six weeks, the mayor said.</article>""",
    """<!doctype html><script type="application/ld+json">{"@type": "NewsArticle",
"headline": "Pont", "datePublished": "2023-09-09T10:00:00+02:00",
"inLanguage": "fr", "author": {"name": "A. B."},
"articleBody": "Le pont sur la rivière est fermé depuis lundi. La mairie prévoit six semaines
de travaux."}</script><body>""",
    """<meta charset=utf-8><meta property="og:title" content="Мост">
<time datetime="2023-09-09T10:00"></time><p>Мост через реку закрыли в понедельник:
инженеры нашли трещины.<p>Мэр: шесть недель.""",
    """<title>Please subscribe</title><p>Subscribe to read the whole article.
<a href=/x>Log in</a>""",
)


def articles() -> list[bytes]:
    """Whole pages and short ones, which are read in half the time."""
    pages = sorted(samples.load("titan-submersible").pages.iterdir())
    whole = [article("en", 1).body, article("es", 2).body, *(one.read_bytes() for one in pages[:3])]
    return [*map(str.encode, SHORT_PAGES), *whole]


def published() -> list[bytes]:
    from tests.annotation.test_published_layout import written

    return [json.dumps([written()], ensure_ascii=False).encode()]


def own_documents() -> list[bytes]:
    row = {"id": "a", "language": "en", "text": "The bridge fell.", "published": "2023-09-09"}
    return [
        json.dumps(row).encode() + b"\n" + json.dumps(row | {"url": "http://a.example"}).encode(),
        b'id,language,text\na,en,"The bridge fell, twice."\n',
        "Мост рухнул.\n\nВторой абзац.".encode(),
    ]  # fmt: skip


def toml() -> list[bytes]:
    events = b'first = 2023-09-09\nlast = 2023-09-10\nlanguages = ["en"]\n[keep]\ndocuments = 4\n'
    return [events, *(path.read_bytes() for path in sorted(config.shipped().values())[:4])]


def list_replies() -> list[bytes]:
    return [
        one.encode()
        for one in (
            '{"sentences": ["The bridge fell.", "Two were hurt."]}',
            "1. The bridge fell.\n2. Two were hurt.\n   - on Monday",
            "Here they are:\n\n```json\n['Le pont est tombé.', \"Deux blessés.\"]\n```",
            "①桥塌了。②两人受伤。",
            "<think>hm</think>\n- The bridge fell;\n* Two were hurt",
        )
    ]


def issue_replies() -> list[bytes]:
    prose = (
        "Conflict: sentence 1:1 and sentence 2:1 differ in the number of the missing.\n"
        "Redundancy: 1:2 repeats 2:2.\nConflict 1: update; take the later report."
    )
    return [ISSUES.encode(), STRATEGIES.encode(), prose.encode(), b"There are no conflicts."]


def judge_replies() -> list[bytes]:
    replies = [reply_grammar.reply(number)[0].text for number in range(40)]
    replies.append(f"{MARK}: [1, -1, 0]")
    return [one.encode("utf-8", "surrogateescape" if "\ud800" not in one else "replace")
            for one in replies]  # fmt: skip


def server_replies() -> list[bytes]:
    bodies = [
        reply(),
        reply(**choice(finish="length", content="The ferry sa")),
        reply(**choice(refusal="No.", content=None)),
        reply(choices=[]),
        {"error": {"message": "slow down", "code": 429}},
    ]
    return [json.dumps(body).encode() for body in bodies]


def call_records() -> list[bytes]:
    request = Request(model="m", messages=(Message("system", "Be brief."), Message("user", "é")))
    completion = Completion(
        text="Whole.", model="m", usage=Usage(prompt_tokens=1, completion_tokens=2)
    )
    return [to_json(request).encode(), to_json(completion).encode()]


def warc() -> list[bytes]:
    plain = record("http://a.example/1", page(1), whole=False)
    packed = record("http://a.example/2", page(2))
    return [plain, packed, gzip.compress(plain, mtime=0), plain + plain[:50] + plain]


def texts() -> list[bytes]:
    """Sentences of a language each; some share a script, and some have theirs to themselves."""
    return [
        one.encode()
        for one in (
            "The bridge fell on Monday night, and two people were hurt, the mayor said.",
            "Le pont est tombé lundi soir, et deux personnes ont été blessées.",
            "Мостът падна в понеделник вечерта, двама души са ранени.",
            "Міст упав у понеділок увечері, двоє людей постраждали.",
            "سقط الجسر مساء الاثنين وأصيب شخصان بجروح.",
            "大桥周一晚上倒塌，两人受伤。",
            "Η γέφυρα έπεσε τη Δευτέρα.",
        )
    ]


def labels() -> list[bytes]:
    """Of each form a label of each kind, since a whole file is long and takes long."""
    from annotation.labels.exchange import flat, jsonl, label_studio

    with tempfile.TemporaryDirectory() as folder:
        store = filled(Path(folder) / "labels.sqlite", *everything())
        table = io.StringIO()
        flat.write(store, table)
        lines = list(jsonl.lines(store))
        tasks = json.loads("".join(label_studio.chunks(store)))
        store.close()
    header, *rows = csv.reader(io.StringIO(table.getvalue()))
    tables = []
    for row in rows[::3]:
        table = io.StringIO()
        csv.writer(table).writerows((header, row))
        tables.append(table.getvalue())
    short = sorted((json.dumps([task], ensure_ascii=False) for task in tasks), key=len)
    return [one.encode() for one in (*short[:5], *tables, *lines[::2])]
