"""Documents of a request are found by the fences that the project writes, and nothing else is."""

from hypothesis import given, settings
from hypothesis import strategies as st

from globesumm import prompts
from globesumm.llm.pine import blocks
from globesumm.llm.pine.blocks import Part, fenced_blocks, parts
from globesumm.prompts import Data, Library, fence_for, fenced

TEXT = st.text(
    st.one_of(st.sampled_from(list("~～∼\n\r\u2028\u200d x1")), st.characters(codec="utf-8")),
    max_size=60,
)
HOSTILE = st.one_of(
    TEXT,
    st.builds(
        lambda tildes, label, body: f"{tildes} {label}\n{body}\n{tildes}",
        st.integers(1, 80).map("~".__mul__),
        st.sampled_from(["report 1 of 2", "report 2 of 3: x", "text"]),
        TEXT,
    ),
    st.integers(1, 90).map("~".__mul__),
)


def told(texts: list[str]) -> list[Data]:
    return [
        Data(label=f"report {n} of {len(texts)}: undated, in English", text=text)
        for n, text in enumerate(texts, start=1)
    ]


def shown(data: list[Data]) -> str:
    """A prompt as the project writes it."""
    return Library()["direct.many"].render(target="English", max_words=9, reports=tuple(data))


def documents(found: list[Part]) -> list[Part]:
    return [part for part in found if part.group is not None]


def test_fences_are_as_long_as_the_project_writes_them() -> None:
    assert blocks.SHORTEST_FENCE == prompts.SHORTEST_FENCE
    assert blocks.LONGEST_FENCE == prompts.LONGEST_FENCE


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.lists(HOSTILE, min_size=2, max_size=5))
def test_every_report_is_found_whole_whatever_it_holds(texts: list[str]) -> None:
    data = told(texts)
    fence = fence_for(texts)
    text = shown(data)
    found = parts(text)
    assert "".join(part.text for part in found) == text
    assert [part.text for part in documents(found)] == [f"{fenced(d, fence)}\n\n" for d in data]
    assert [part.label for part in documents(found)] == [d.label for d in data]
    assert len({part.group for part in documents(found)}) == 1


@settings(max_examples=60, deadline=None, derandomize=True)
@given(HOSTILE)
def test_one_report_forges_no_second_one(text: str) -> None:
    assert documents(parts(shown(told([text])))) == []


def test_reports_keep_their_labels_in_another_order() -> None:
    data = told(["one", "two", "three"])
    turned = [data[2], data[0], data[1]]
    assert {p.text for p in documents(parts(shown(turned)))} == {
        p.text for p in documents(parts(shown(data)))
    }


def test_blocks_with_roles_of_their_own_are_no_series() -> None:
    asked = Library()["facts.match"].render(
        facts=Data(label="facts", text="1. a"),
        summary=Data(label="summary", text="1. b"),
        count=1,
        sentences=1,
        mark="facts",
    )
    assert len(fenced_blocks(asked)) == 2
    assert documents(parts(asked)) == []


def test_a_series_needs_all_its_members_side_by_side() -> None:
    data = told(["one", "two", "three"])
    fence = fence_for(["x"])
    one, two, three = (fenced(d, fence) for d in data)
    assert len(documents(parts(f"{one}\n\n{two}\n\n{three}"))) == 3
    assert documents(parts(f"{one}\n\n{two}")) == []
    assert documents(parts(f"{one}\n\n{one}\n\n{three}")) == []
    assert documents(parts(f"{one}\n\nand\n\n{two}\n\n{three}")) == []


def test_two_series_are_two_groups() -> None:
    fence = fence_for(["x"])
    one = "\n\n".join(fenced(d, fence) for d in told(["a", "b"]))
    other = "\n\n".join(fenced(d, fence) for d in told(["c", "d"]))
    found = documents(parts(f"{one}\n\n{other}\n\nDone.", 3))
    assert [part.group for part in found] == [3, 3, 4, 4]


def test_a_sentence_that_begins_with_the_fence_opens_nothing() -> None:
    fence = fence_for(["x"])
    series = "\n\n".join(fenced(d, fence) for d in told(["a", "b"]))
    assert len(documents(parts(f"{fence} is the line that encloses text.\n\n{series}"))) == 2
