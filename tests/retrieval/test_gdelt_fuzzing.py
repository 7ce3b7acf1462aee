"""Whatever is in a file: every row is kept, no web page, or rejected, and nothing else happens."""

import gzip
import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from retrieval.gdelt.articles import Article, articles
from retrieval.gdelt.failures import OfAnotherKind
from retrieval.gdelt.gal import listings
from retrieval.gdelt.names import Product, Stream
from retrieval.gdelt.rows import Tally
from retrieval.gdelt.schema import raw_columns, table_columns
from retrieval.gdelt.tables import table_rows
from retrieval.gdelt.writing import write_jsonl
from tests.retrieval.gdelt_files import gkg_row

STREAMS = st.sampled_from([Stream.ENGLISH, Stream.TRANSLATED])
CELL = st.binary(max_size=30).filter(lambda cell: b"\t" not in cell and b"\n" not in cell)
GOOD = gkg_row().split(b"\t")
LIKELY = st.sampled_from(
    [
        b"20230502100000", b"20231399999999", b"1", b"2", b"", b"https://example.org/",
        b"https://me:secret@example.org/", b"http://[::1", b"http://\xff", b"srclc:fra;eng:x",
        b"srclc:;", b"<PAGE_TITLE>&#xD83D;&#x110000;</PAGE_TITLE>",
        b"<PAGE_TITLE>\xc3\x28</PAGE_TITLE>",
        b"<PAGE_PRECISEPUBTIMESTAMP>\xb2</PAGE_PRECISEPUBTIMESTAMP>", b"1,2,\xb2",
        b"-1e999", b"\x00", b"1_0",
    ]
)  # fmt: skip


@st.composite
def mutated(draw: st.DrawFn, good: list[bytes]) -> bytes:
    """A good row with some cells changed, perhaps one too many or too few."""
    cells = list(good)
    for place in draw(st.sets(st.integers(0, len(cells) - 1), max_size=4)):
        cells[place] = draw(LIKELY | CELL)
    cells = cells[: draw(st.sampled_from([len(cells)] * 9 + [len(cells) - 1]))]
    return b"\t".join(cells + [b"more"] * draw(st.sampled_from([0] * 9 + [1])))


def accounted(tally: Tally, kept: int) -> None:
    counts = tally.counts
    assert counts["rows"] == counts["kept"] + counts["not_web"] + counts["rejected"]
    assert counts["kept"] == kept
    assert len(tally.rejected) == counts["rejected"]
    assert all(rejected.reason for rejected in tally.rejected)


def storable(rows: list[tuple[Any, ...]], product: Product) -> None:
    """Rows go to the disk and come back."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "table.jsonl")
        assert write_jsonl(rows, table_columns(product), path) == len(rows)
        for text in path.read_bytes().decode("utf-8", errors="strict").split("\n")[:-1]:
            row = json.loads(text, parse_constant=no_number)
            assert len(row) == len(table_columns(product))


def no_number(name: str) -> None:
    """JSON has no NaN and no Infinity, though Python's reader takes them."""
    raise AssertionError(name)


@example(cells=[b"NaN", b"1"])
@given(st.lists(CELL, min_size=2, max_size=2))
def test_a_text_may_say_nan(cells: list[bytes]) -> None:
    good = [b"1"] * len(raw_columns(Product.EXPORT))
    good[-2], good[5], good[6] = b"20230502100000", *cells
    content = b"\t".join(good) + b"\n"
    tally = Tally("file", Product.EXPORT)
    storable(list(table_rows([content], Stream.ENGLISH, tally)), Product.EXPORT)


@given(st.lists(mutated(GOOD), max_size=8), STREAMS)
def test_documents_are_accounted_for_row_by_row(rows: list[bytes], stream: Stream) -> None:
    # A good row first: otherwise a file of bad rows alone is refused as a whole, as it should.
    content = b"\n".join([gkg_row(), *rows]) + b"\n"
    tally = Tally("file", Product.GKG)
    found: list[Article] = list(articles([content], stream, tally))
    accounted(tally, len(found))
    assert tally.counts["rows"] == len(rows) + 1
    for document in found:
        assert document.url.startswith(("http://", "https://"))
        assert "secret" not in document.url
        assert document.published is None or document.published <= document.seen
        assert document.title is None or document.title.strip() == document.title != ""
    storable([tuple(document) for document in found], Product.GKG)


@given(st.sampled_from([Product.EXPORT, Product.MENTIONS]), STREAMS, st.data())
def test_events_and_mentions_are_accounted_for_row_by_row(
    product: Product, stream: Stream, data: st.DataObject
) -> None:
    good = [b"20230502100000" if column.type == "time" else b"1" for column in raw_columns(product)]
    rows = data.draw(st.lists(mutated(good), max_size=8))
    tally = Tally("file", product)
    content = b"\n".join([b"\t".join(good), *rows]) + b"\n"
    found = list(table_rows([content], stream, tally))
    accounted(tally, len(found))
    assert tally.counts["rows"] == len(rows) + 1
    storable(found, product)


@given(st.binary(max_size=400), st.sampled_from([Product.GKG, Product.EXPORT, Product.MENTIONS]))
def test_bytes_of_any_kind_are_refused_by_name_or_empty(content: bytes, product: Product) -> None:
    tally = Tally("file", product)
    try:
        if product is Product.GKG:
            found = [tuple(one) for one in articles([content], Stream.ENGLISH, tally)]
        else:
            found = list(table_rows([content], Stream.ENGLISH, tally))
    except OfAnotherKind:
        assert tally.counts["rejected"] > 0
    else:
        assert found == []
        assert tally.counts["rows"] == 0


RECORD = {
    "date": "2023-05-02T09:31:00Z",
    "url": "https://paper.example/1",
    "title": "A title",
    "lang": "cs",
    "desc": "What it is about.",
    "outletName": "The Paper",
}
VALUES = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=4,
)


@given(st.lists(st.dictionaries(st.sampled_from(sorted(RECORD)), VALUES, max_size=3), max_size=6))
def test_the_article_list_is_accounted_for_record_by_record(
    changes: list[dict[str, Any]],
) -> None:
    records = [RECORD, *(RECORD | change for change in changes)]
    text = "".join(json.dumps(record) + "\n" for record in records)
    with TemporaryDirectory() as folder:
        path = Path(folder, "20230502093100.gal.json.gz")
        path.write_bytes(gzip.compress(text.encode(), compresslevel=0))
        tally = Tally(path.name, Product.GAL)
        found = list(listings(path, tally))
    accounted(tally, len(found))
    assert tally.counts["rows"] == len(records)
    storable([tuple(one) for one in found], Product.GAL)
