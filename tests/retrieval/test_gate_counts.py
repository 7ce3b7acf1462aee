"""Counts by host and language, and the rule by which they raise an alarm."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from globesumm.values import Document, Rejected
from retrieval.gate.counts import DOCUMENTS, FEWEST_PAGES, Counts, lower_bound
from retrieval.kinds import KINDS


def document(host: str, language: str) -> Document:
    return Document(id="x", text="x", language=language, url=f"https://www.{host}/a")


def rejected(host: str, language: str | None, kind: str = "paywall") -> Rejected:
    url = f"https://{host}/a"
    return Rejected(where=url, reason="x", kind=kind, url=url, language=language)


def counts(*groups: tuple[str, str, int, int]) -> Counts:
    made = Counts()
    for host, language, good, bad in groups:
        found = [document(host, language)] * good + [rejected(host, language)] * bad
        assert list(made.counted(found)) == found
    return made


def test_hosts_and_languages_are_counted_by_kind() -> None:
    made = counts(("a.example", "de", 3, 1))
    made.add(rejected("a.example", None, "timeout"))
    assert made.by_host == {"a.example": {DOCUMENTS: 3, "paywall": 1, "timeout": 1}}
    assert made.by_language == {"de": {DOCUMENTS: 3, "paywall": 1}, "und": {"timeout": 1}}
    assert made.total == {DOCUMENTS: 3, "paywall": 1, "timeout": 1}


def test_a_host_that_is_mostly_rejected_is_an_alarm_and_says_why() -> None:
    made = counts(("bad.example", "de", 5, 35), ("good.example", "de", 200, 4))
    (alarm,) = made.alarms()
    assert (alarm.group, alarm.name, alarm.pages, alarm.kind) == (
        "host",
        "bad.example",
        40,
        "paywall",
    )
    assert alarm.share == pytest.approx(35 / 40)
    assert "bad.example" in str(alarm)
    assert "88%" in str(alarm)


def test_a_language_is_held_against_the_others() -> None:
    made = counts(("a.example", "de", 95, 5), ("b.example", "mk", 60, 40))
    assert [(one.group, one.name) for one in made.alarms()] == [("language", "mk")]


def test_chance_and_small_groups_raise_no_alarm() -> None:
    assert counts(("a.example", "de", 0, FEWEST_PAGES - 1)).alarms() == []
    assert counts(("a.example", "de", 17, 3), ("b.example", "fr", 900, 100)).alarms() == []
    assert Counts().alarms() == []


def test_all_pages_together_can_be_abnormal() -> None:
    made = counts(*((f"h{number}.example", "de", 1, 9) for number in range(10)))
    assert [one.group for one in made.alarms()] == ["all", "language"]


def test_the_interval_is_wilsons() -> None:
    # Values of R: prop.test(k, n, correct = FALSE)$conf.int[1]
    assert lower_bound(35, 40) == pytest.approx(0.7389, abs=2e-4)
    assert lower_bound(10, 20) == pytest.approx(0.2993, abs=2e-4)
    assert lower_bound(0, 20) == pytest.approx(0.0)


groups = st.lists(
    st.tuples(
        st.sampled_from(["a.example", "b.example", "c.example"]),
        st.sampled_from(["de", "mk", "und"]),
        st.integers(0, 5),
        st.integers(0, 5),
    ),
    max_size=6,
)


@given(groups, groups)
def test_parts_add_up_to_the_whole_however_they_travel(
    one: list[tuple[str, str, int, int]], other: list[tuple[str, str, int, int]]
) -> None:
    whole, part, rest = counts(*one, *other), counts(*one), counts(*other)
    part.update(pickle.loads(pickle.dumps(rest)))
    assert part == whole
    assert Counts.from_flat(whole.as_flat()).as_flat() == whole.as_flat()
    assert Counts.from_flat({"other/x": 3}) == Counts()


def test_every_kind_has_a_meaning_in_one_line() -> None:
    for name, meaning in KINDS.items():
        assert name == name.lower()
        assert " " not in name
        assert 0 < len(meaning) < 100
