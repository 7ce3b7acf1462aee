"""The loaders of the public data sets."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from baselines.studies import backgrounds_data, multiling_data
from baselines.studies.multiling import drawn
from globesumm.errors import UsageError


def test_a_multiling_text_keeps_its_topic_number_language_and_the_english_date(
    mini_multiling: Path,
) -> None:
    pilot = multiling_data.load(mini_multiling)
    assert pilot.topics == ["000", "001"]
    assert pilot.languages == ["en", "fr"]
    assert len(pilot.texts) == 12
    assert not pilot.rejected
    french = pilot.texts["000", 1, "fr"]
    assert french.language == "fr"
    assert french.published == datetime(2005, 1, 11, tzinfo=UTC)


def test_the_data_root_the_folder_between_and_the_folder_itself_are_all_accepted(
    mini_multiling: Path,
) -> None:
    folders = {
        multiling_data.load(mini_multiling / inner).folder.resolve()
        for inner in ("", "events", "events/multiling2011")
    }
    assert folders == {(mini_multiling / "events/multiling2011").resolve()}


def test_human_and_system_summaries_are_found_by_topic_in_order(mini_multiling: Path) -> None:
    pilot = multiling_data.load(mini_multiling)
    assert len(pilot.references("000")) == 2
    assert pilot.references("000")[0].startswith("A dam burst on 9 January")
    assert pilot.systems() == ["ID9", "ID10"]
    assert (pilot.submission("ID9", "001") or "").startswith("A ferry")
    assert pilot.submission("ID9", "007") is None


def test_a_draw_takes_each_document_once_and_each_language_at_least_once(
    mini_multiling: Path,
) -> None:
    pilot = multiling_data.load(mini_multiling)
    for draw in range(20):
        chosen = drawn(pilot, "000", 7, draw)
        assert sorted(document.id[:5] for document in chosen) == ["M0000", "M0001", "M0002"]
        assert {document.language for document in chosen} == {"en", "fr"}


def test_draws_repeat_for_one_seed_and_differ_between_seeds(mini_multiling: Path) -> None:
    pilot = multiling_data.load(mini_multiling)

    def ids(seed: int) -> list[list[str]]:
        return [[d.id for d in drawn(pilot, "000", seed, draw)] for draw in range(10)]

    assert ids(1) == ids(1)
    assert ids(1) != ids(2)


@pytest.mark.parametrize("load", [multiling_data.load, backgrounds_data.load])
def test_what_is_missing_is_named_with_where_it_was_looked_for(
    load: object, tmp_path: Path
) -> None:
    assert callable(load)
    for data in (None, tmp_path / "nowhere", tmp_path):
        with pytest.raises(UsageError, match="--data") as refused:
            load(data)
        assert "data set" in str(refused.value)
        assert "\n" not in str(refused.value)


def test_the_background_of_a_prefix_stands_in_the_next_row(mini_backgrounds: Path) -> None:
    timelines, rejected = backgrounds_data.load(mini_backgrounds)
    assert not rejected
    assert [(one.event, one.annotator) for one in timelines] == [
        ("dam_burst", "annotator1"),
        ("dam_burst", "annotator2"),
    ]
    one = timelines[0]
    assert one.reference(1) == "A dam burst."
    assert one.reference(3) == "A dam burst, twelve died, an inquiry began."
    assert one.updates[1].text == 'The ministry says "twelve" people died.'
    assert one.updates[1].published == datetime(2010, 1, 2, tzinfo=UTC)


def test_the_last_prefix_and_the_empty_one_have_no_background(mini_backgrounds: Path) -> None:
    one = backgrounds_data.load(mini_backgrounds)[0][0]
    assert one.reference(len(one.updates)) is None
    assert one.reference(0) is None


def test_an_unpacked_folder_reads_like_the_archive(tmp_path: Path, mini_backgrounds: Path) -> None:
    import tarfile

    with tarfile.open(mini_backgrounds / "background-summaries/events.tar.gz") as archive:
        archive.extractall(tmp_path / "unpacked", filter="data")
    assert (
        backgrounds_data.load(tmp_path / "unpacked")[0]
        == backgrounds_data.load(mini_backgrounds)[0]
    )


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("[2010-13-40]\tSomething happens.\t", "no date"),
        ("sometime\tSomething happens.\t", "no date"),
        ("[2010-01-03]\t\tSomething happened.", "no update"),
        ("[2010-01-03]", "no update"),
    ],
)
def test_a_row_without_date_or_update_is_refused_by_place_and_the_rest_goes_on(
    tmp_path: Path, row: str, reason: str
) -> None:
    path = tmp_path / "events" / "dam_burst" / "annotator1.tsv"
    path.parent.mkdir(parents=True)
    good = "[2010-01-01]\tA dam burst.\t\n"
    path.write_text(f"Date\tUpdate\tBackground\n{good}{row}\n[2010-01-04]\tMore.\tA dam burst.\n")
    timelines, rejected = backgrounds_data.load(tmp_path)
    assert [(one.where, one.reason) for one in rejected] == [
        ("dam_burst/annotator1.tsv, row 2", reason)
    ]
    assert len(timelines[0].updates) == 2


def test_a_table_without_the_columns_is_refused_by_name(tmp_path: Path) -> None:
    for name, header in (("annotator1", "Date\tUpdate\tBackground"), ("annotator2", "a\tb")):
        path = tmp_path / "events" / "dam_burst" / f"{name}.tsv"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{header}\n[2010-01-01]\tA dam burst.\t\n")
    timelines, rejected = backgrounds_data.load(tmp_path)
    assert [one.annotator for one in timelines] == ["annotator1"]
    assert "no column Date, Update, Background" in rejected[0].reason


@pytest.mark.parametrize("content", [b"", b"not an archive", b"\x1f\x8b\x08\x00 cut off"])
def test_a_broken_archive_is_a_usage_error(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "events.tar.gz").write_bytes(content)
    with pytest.raises(UsageError, match="archive"):
        backgrounds_data.load(tmp_path)


@pytest.mark.slow
def test_the_real_multiling_pilot_is_read_whole(shared_data: Path) -> None:
    pilot = multiling_data.load(shared_data)
    assert len(pilot.texts) == 6 * 10 * 7
    assert not pilot.rejected
    assert all(document.published for document in pilot.texts.values())
    assert all(len(pilot.references(topic)) == 3 for topic in pilot.topics)
    assert pilot.systems() == [f"ID{number}" for number in range(1, 11)]


def test_the_real_backgrounds_are_read_whole(shared_data: Path) -> None:
    timelines, rejected = backgrounds_data.load(shared_data)
    assert not rejected
    assert len(timelines) == 42
    assert len({one.event for one in timelines}) == 14
    for one in timelines:
        # Only the first row, before which nothing happened, has no background.
        assert [m for m in range(len(one.updates)) if one.reference(m) is None] == [0]
        dates = [update.published for update in one.updates]
        assert dates == sorted(dates, key=str)
