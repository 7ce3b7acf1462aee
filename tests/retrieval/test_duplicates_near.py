"""Near-duplicates: equal to comparing every pair, in scripts with and without blanks."""

from collections.abc import Sequence
from datetime import UTC, datetime
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("rensa", reason="needs the extra 'retrieval'")

from globesumm.errors import UsageError
from globesumm.values import Document
from retrieval.duplicates.near import banding, near_duplicates, signature, trust
from retrieval.duplicates.shingles import Shingler, jaccard, lowered, tokens

LETTERS = {
    "en": "abcdefghijklmnopqrstuvwxyz",
    "ru": "абвгдежзийклмнопрстуфхцчшщыэюя",
    "ar": "ابتثجحخدذرزسشصضطظعغفقكلمنهوي",
    "hi": "कखगघचछजझटठडढणतथदधनपफबभमयरलवशषसह",
    "zh": "".join(chr(code) for code in range(0x4E00, 0x4E00 + 800)),
}
SHARES = {"en": 2200, "ru": 900, "ar": 800, "hi": 300, "zh": 800}


def vocabulary(language: str, draw: Random) -> list[str]:
    letters = LETTERS[language]
    if language == "zh":
        return list(letters)
    return ["".join(draw.choices(letters, k=draw.randrange(2, 9))) for _ in range(4000)]


def edited(words: list[str], pool: list[str], draw: Random) -> list[str]:
    """A copy with some words changed, taken out or put in, or a paragraph cut off."""
    copy = list(words)
    for _ in range(draw.choice((0, 1, 2, 4, 6, 9, 14, 20))):
        place = draw.randrange(len(copy))
        match draw.randrange(3):
            case 0:
                copy[place] = draw.choice(pool)
            case 1:
                copy.insert(place, draw.choice(pool))
            case _:
                del copy[place]
    return copy[: max(len(copy) - draw.choice((0, 0, 0, 5, 20, 40)), 40)]


def written(words: Sequence[str], language: str, draw: Random) -> str:
    """The words as a text, with capitals and punctuation of its own."""
    if language == "zh":
        return "。".join("".join(words[at : at + 12]) for at in range(0, len(words), 12)) + "。"
    marked = [word + draw.choice(("", "", "", ",", ".", " –")) for word in words]
    return " ".join(word.capitalize() if draw.random() < 0.1 else word for word in marked)


def made(draw: Random) -> list[Document]:
    """5,000 documents in five scripts, a third of them copies, with ids in no order."""
    documents: list[Document] = []
    for language, share in SHARES.items():
        pool = vocabulary(language, draw)
        weights = [1 / (rank + 1) for rank in range(len(pool))]
        texts: list[list[str]] = []
        while len(texts) < share:
            words = draw.choices(pool, weights=weights, k=draw.randrange(60, 260))
            texts.append(words)
            if draw.random() < 0.25:
                for _ in range(draw.choice((1, 1, 2, 5))):
                    words = edited(draw.choice((words, texts[-1])), pool, draw)
                    texts.append(words)
        documents += [
            Document(
                id=f"{draw.getrandbits(40):010x}",
                text=written(words, language, draw),
                language=language,
                published=datetime(2023, 5, draw.randrange(1, 28), tzinfo=UTC)
                if draw.random() < 0.8
                else None,
            )
            for words in texts[:share]
        ]
    draw.shuffle(documents)
    return documents


def strings(text: str, language: str) -> frozenset[str]:
    """Shingles by another way than the module's: over characters, or words between blanks."""
    if language == "zh":
        units = [char for char in text if char.isalnum()]
    else:
        units = ["".join(c for c in word if c not in ",.–") for word in text.lower().split()]
        units = [unit for unit in units if unit]
    return frozenset(" ".join(units[at : at + 5]) for at in range(max(len(units) - 4, 1)))


def by_every_pair(documents: Sequence[Document], threshold: float) -> dict[str, str]:
    """Copy → kept, comparing each document with every one kept before (a sparse product)."""
    sparse = pytest.importorskip("scipy.sparse")
    found: dict[str, str] = {}
    for language in {document.language for document in documents}:
        group = sorted((one for one in documents if one.language == language), key=trust)
        sets = [strings(document.text, language) for document in group]
        numbers: dict[str, int] = {}
        columns = [numbers.setdefault(shingle, len(numbers)) for one in sets for shingle in one]
        starts = [0]
        for one in sets:
            starts.append(starts[-1] + len(one))
        matrix = sparse.csr_array(
            ([1] * len(columns), columns, starts), shape=(len(sets), len(numbers))
        )
        shared = (matrix @ matrix.T).tocsr()
        kept: set[int] = set()
        for place, one in enumerate(sets):
            best, best_similarity = -1, 0.0
            span = slice(shared.indptr[place], shared.indptr[place + 1])
            for other, count in sorted(zip(shared.indices[span], shared.data[span], strict=True)):
                if other not in kept:
                    continue
                similarity = count / (len(one) + len(sets[other]) - count)
                if similarity > best_similarity:
                    best, best_similarity = int(other), similarity
            if best_similarity >= threshold:
                found[group[place].id] = group[best].id
            else:
                kept.add(place)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("threshold", [0.8, 0.6])
def test_copies_are_those_that_comparing_every_pair_finds(threshold: float) -> None:
    documents = made(Random(11))
    assert len(documents) == 5000
    copies = near_duplicates(documents, threshold)
    assert {copy.document: copy.of for copy in copies} == by_every_pair(documents, threshold)
    assert len(copies) > 500
    assert all(threshold <= copy.similarity <= 1 for copy in copies)
    assert near_duplicates(reversed(documents), threshold) == copies


def report(id_: str, text: str, day: int | None = 1, **more: object) -> Document:
    published = datetime(2023, 5, day, tzinfo=UTC) if day else None
    return Document(id=id_, text=text, language="en", published=published, **more)  # type: ignore[arg-type]


WORDS = [f"word{number}" for number in range(100)]
TEXT = " ".join(WORDS)


def test_the_earliest_whole_report_is_kept() -> None:
    reports = [
        report("a", TEXT, None),
        report("b", TEXT, 3),
        report("c", TEXT, 2, notes=("partial: only the feed's summary",)),
        report("d", TEXT, 2),
        report("e", " ".join(WORDS[::-1]), 1),
    ]
    copies = near_duplicates(reports)
    assert {(copy.document, copy.of) for copy in copies} == {("a", "d"), ("b", "d"), ("c", "d")}
    assert {copy.similarity for copy in copies} == {1.0}


def test_a_chain_of_edits_does_not_carry_a_report_away() -> None:
    """Each is near the one before; the last is near no one who is kept but the second."""
    steps = [
        [f"new{i}" if i < step * 3 else word for i, word in enumerate(WORDS)] for step in range(5)
    ]
    reports = [report(f"s{step}", " ".join(words), step + 1) for step, words in enumerate(steps)]
    shingles = [Shingler().shingles(one.text) for one in reports]
    assert jaccard(shingles[0], shingles[4]) < 0.8
    for copy in near_duplicates(reports):
        places = [int(copy.document[1]), int(copy.of[1])]
        assert jaccard(shingles[places[0]], shingles[places[1]]) == copy.similarity >= 0.8


def test_case_punctuation_and_composition_make_no_difference() -> None:
    shingler = Shingler()
    one = shingler.shingles("The mayor of Łódź said: “Café” closes, at 5 p.m.")
    other = shingler.shingles("the MAYOR of łódź — said ‘cafe\u0301’ closes at 5 P M")
    assert jaccard(one, other) == 1.0


def test_a_language_is_compared_with_itself_alone() -> None:
    reports = [report("a", TEXT), Document(id="b", text=TEXT, language="de")]
    assert near_duplicates(reports) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("北京时间5月15日", ["北", "京", "时", "间", "5", "月", "15", "日"]),
        ("ข่าวด่วน 5", ["ข", "่", "า", "ว", "ด", "่", "ว", "น", "5"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("שָׁלוֹם a_b", ["שָׁלוֹם", "a", "b"]),
        ("don't — x2", ["don", "t", "x2"]),
        ("…!?", []),
    ],
)
def test_tokens_are_words_or_characters_by_the_script(text: str, found: list[str]) -> None:
    assert tokens(lowered(text)) == found


def test_short_and_empty_texts_are_compared_whole() -> None:
    reports = [report("a", "Rain today"), report("b", "rain, today!"), report("c", "Rain tonight"),
               report("d", "…"), report("e", "…")]  # fmt: skip
    assert [(copy.document, copy.of) for copy in near_duplicates(reports)] == [("b", "a")]


@given(st.lists(st.text(max_size=60), max_size=8), st.text(max_size=30))
def test_shingles_of_a_text_do_not_depend_on_what_was_seen_before(
    earlier: list[str], text: str
) -> None:
    warm = Shingler()
    for one in earlier:
        warm.shingles(one)
    assert warm.shingles(text).tolist() == Shingler().shingles(text).tolist()
    assert len(warm.shingles(text)) <= max(len(tokens(lowered(text))), 1)


def test_many_copies_of_one_text_take_no_square_of_time() -> None:
    reports = [report(f"{number:05d}", TEXT) for number in range(3000)]
    copies = near_duplicates(reports)
    assert len(copies) == 2999
    assert {copy.of for copy in copies} == {"00000"}


@pytest.mark.parametrize("threshold", [0.5, 0.6, 0.7, 0.8, 0.9, 1.0])
def test_a_pair_at_the_threshold_is_missed_less_than_once_in_a_million(threshold: float) -> None:
    bands, rows = banding(threshold)
    assert bands * rows <= 128
    assert (1 - threshold**rows) ** bands < 1e-6
    assert f"{bands}x{rows}" in signature(threshold)


@pytest.mark.parametrize("threshold", [0.49, 1.01, float("nan"), -1])
def test_a_threshold_out_of_range_is_refused(threshold: float) -> None:
    with pytest.raises(UsageError, match="between"):
        near_duplicates([], threshold)
