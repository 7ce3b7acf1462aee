"""Layouts of corpora, drawing from the command line, and the statistics of a collection."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from globesumm.cli import main
from globesumm.errors import DataError, UnknownName
from globesumm.llm.metered import read_prices
from globesumm.values import KeyFact, Rejected
from metrics.facts.layouts import LAYOUTS, read_corpus
from metrics.facts.leaderboard import read_traits
from metrics.facts.records import Candidate, SourceFacts, SummaryFacts
from metrics.facts.sources import Source
from metrics.facts.statistics import losslessness, of_key_facts, of_sources, of_summary_facts

SAID = "Ann: Hi there\nBob: We meet at nine: be there"
EXAMPLES = {
    "samsum": json.dumps([{"id": "1", "dialogue": SAID.replace("\n", "\r\n"), "summary": "S"}]),
    "dialogsum": json.dumps(
        {
            "fname": "train_0",
            "dialogue": SAID.replace("Ann", "#Person1#").replace("Bob", "#Person2#"),
            "summary": "S",
        }
    ),
    "mediasum": json.dumps(
        [
            {
                "id": "NPR-1",
                "utt": ["Hi there", "We meet at nine: be there"],
                "speaker": ["Ann", "Bob"],
                "summary": "S",
            }
        ]
    ),
    "summscreen": json.dumps(
        {"filename": "x", "Transcript": ["[ Scene ]", *SAID.splitlines()], "Recap": ["S"]}
    ),
    "moviesum": json.dumps(
        {
            "movie_name": "Sea_1999",
            "imdb_id": "tt0",
            "script": "<script><scene><stage_direction>INT. SEA</stage_direction>\n"
            "<character>ANN</character><dialogue>Salt &amp; <light> pepper</dialogue></scene>",
            "summary": "S",
        }
    ),
    "todsum": json.dumps(
        [{"dialog_id": "SNG1.json", "text": ["A taxi: now", "Booked."], "summary": ["S"]}]
    ),
    "aci-bench": 'dataset,encounter_id,dialogue,note\nv,D1,"[doctor] Hi there\n[patient] Nine",S\n',
    "mts-dialog": 'ID,section_text,dialogue\n0,S,"Doctor: Hi\nPatient: Nine"\n',
    "meetingbank": json.dumps({"uid": "u", "id": 1, "transcript": "Hello all.", "summary": "S"}),
    "qmsum": json.dumps(
        {
            "meeting_transcripts": [
                {"speaker": "Ann", "content": "Hi there"},
                {"speaker": "Bob", "content": "Nine"},
            ],
            "general_query_list": [{"query": "Summarize", "answer": "S"}],
        }
    ),
}


@pytest.mark.parametrize("corpus", LAYOUTS)
def test_every_layout_gives_turns_speakers_and_the_reference(corpus: str, tmp_path: Path) -> None:
    path = tmp_path / "data"
    path.write_text(EXAMPLES[corpus])
    (found,) = read_corpus(path, LAYOUTS[corpus].corpus)
    assert isinstance(found, Source)
    assert found.reference == "S"
    assert (found.corpus, found.scenario) == (LAYOUTS[corpus].corpus, LAYOUTS[corpus].scenario)
    speakers = {"meetingbank": 1, "summscreen": 3}
    assert found.speakers == speakers.get(corpus, 2)
    if corpus in ("samsum", "mediasum"):
        assert found.parts[0].text == SAID
    if corpus == "todsum":
        assert found.parts[0].text == "User: A taxi: now\nAgent: Booked."
    if corpus == "moviesum":
        assert found.parts[0].text == "?: INT. SEA\nANN: Salt & <light> pepper"


INTERVAL = 'intervals [{n}]:\n  xmin = {at} \n  xmax = {to} \n  text = "{text}" \n'


def primock(folder: Path) -> Path:
    """One consultation, its patient's file in UTF-16."""
    for name in ("transcripts", "notes"):
        (folder / name).mkdir()
    head = 'File type = "ooTextFile"\nxmin = 0 \nxmax = 9 \n'
    said = {
        "doctor": [(0, ""), (1.5, "Hello <UNSURE>there</UNSURE>."), (4, 'Is it "bad"?')],
        "patient": [(2.5, "<UNIN/> My knee hurts. <INAUDIBLE_SPEECH/>"), (5, "")],
    }
    for speaker, held in said.items():
        content = head + "".join(
            INTERVAL.format(n=n, at=at, to=at + 1, text=text.replace('"', '""'))
            for n, (at, text) in enumerate(held, 1)
        )
        (folder / "transcripts" / f"day1_consultation01_{speaker}.TextGrid").write_text(
            content, encoding="utf-8" if speaker == "doctor" else "utf-16"
        )
    (folder / "notes" / "day1_consultation01.json").write_text(json.dumps({"note": "S\n"}))
    return folder / "transcripts"


def test_primock57_puts_both_speakers_in_order_of_time_and_takes_the_note(tmp_path: Path) -> None:
    folder = primock(tmp_path)
    (found,) = read_corpus(folder, "PriMock57")
    assert isinstance(found, Source)
    assert found.parts[0].text == (
        "Doctor: Hello there.\n"
        "Patient: (unintelligible) My knee hurts. (unintelligible)\n"
        'Doctor: Is it "bad"?'
    )
    assert (found.reference, found.scenario, found.speakers) == ("S", "healthcare", 2)
    (again,) = read_corpus(folder / "day1_consultation01_patient.TextGrid", "primock57")
    assert again == found
    (folder / "day1_consultation01_patient.TextGrid").unlink()
    (bad,) = read_corpus(folder, "primock57")
    assert isinstance(bad, Rejected)
    assert "day1_consultation01_patient.TextGrid is not there" in bad.reason


def test_ectsum_reads_lines_and_the_summary_of_the_same_name(tmp_path: Path) -> None:
    for name, text in (("ects", "Sales rose 3%.\n\nThank you.\n"), ("gt_summaries", "S\n")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "AB_q1_2021.txt").write_text(text)
    (found,) = read_corpus(tmp_path / "ects", "ECTSum")
    assert isinstance(found, Source)
    assert found.parts[0].text == "?: Sales rose 3%.\n?: Thank you."
    assert (found.id, found.reference, found.scenario) == ("ECTSum-AB_q1_2021", "S", "meeting")
    (tmp_path / "ects" / "AB_q1_2021.txt").write_text("\n")
    (bad,) = read_corpus(tmp_path / "ects", "ECTSum")
    assert isinstance(bad, Rejected)
    with pytest.raises(DataError, match="no file"):
        list(read_corpus(tmp_path, "ECTSum"))


def test_tweetsumm_takes_its_texts_from_the_table_of_tweets(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, table = tmp_path / "final_test.jsonl", tmp_path / "twcs.csv"
    tweets = [
        {"tweet_id": 11, "sentence_offsets": ["[0, 10]", "[11, 18]"]},
        {"tweet_id": 12, "sentence_offsets": []},
    ]
    annotations = [{"abstractive": ["S"]}, {"extractive": []}, {"abstractive": ["T", "U"]}]
    lines = [
        {"conversation_id": "c", "tweet_ids_sentence_offset": tweets, "annotations": annotations},
        {"conversation_id": "d", "tweet_ids_sentence_offset": [{"tweet_id": 99}]},
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    table.write_text(
        "tweet_id,author_id,inbound,created_at,text\n"
        '11,7,True,x,"My line is, dead."\n12,Shop,False,x,"We look\ninto it"\n13,7,True,x,No\n'
    )
    found, bad = read_corpus(path, "TweetSumm", table)
    assert isinstance(found, Source)
    assert found.parts[0].text == "Customer: My line is dead.\nAgent: We look into it"
    assert (found.reference, found.further_references) == ("S", ("T\nU",))
    assert isinstance(bad, Rejected)
    assert "tweet 99 is not in twcs.csv" in bad.reason
    command = ["facts", "sample", str(path), "--corpus", "TweetSumm", "--quotas", "tweetsumm=1"]
    assert main([*command, "--out", str(tmp_path / "o.jsonl")]) == 2
    assert "--tweets" in capsys.readouterr().err
    table.write_text("id,text\n1,x\n")
    with pytest.raises(DataError, match="the columns tweet_id, inbound and text"):
        list(read_corpus(path, "TweetSumm", table))


@pytest.mark.parametrize(
    "content", ["", "{", "[1]", '[{"id": "1"}]', '[{"dialogue": [[]]}]', "\x00"]
)
def test_a_file_of_another_kind_is_an_error_or_rejected(content: str, tmp_path: Path) -> None:
    path = tmp_path / "data"
    path.write_text(content)
    try:
        found = list(read_corpus(path, "samsum"))
    except DataError as error:
        assert "cannot be read as json" in str(error)  # noqa: PT017
    else:
        assert all(isinstance(one, Rejected) for one in found)


def test_a_corpus_without_a_row_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="did you mean 'SAMSum'"):
        list(read_corpus(tmp_path, "samsun"))


def test_sources_are_drawn_from_a_corpus_and_what_was_left_out_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, out = tmp_path / "train.json", tmp_path / "sources.jsonl"
    talks = [
        {
            "id": str(n),
            "dialogue": "\n".join(f"Ann: word{n}x{m} again" for m in range(60 + n)),
            "summary": "S",
        }
        for n in range(20)
    ]
    path.write_text(json.dumps([*talks, talks[0] | {"id": "copy"}]))
    arguments = ["facts", "sample", str(path), "--corpus", "samsum", "--out", str(out)]
    assert main([*arguments, "--quotas", "SAMSum=10"]) == 0
    said = capsys.readouterr().out
    assert "10 of 21 sources drawn" in said
    assert "1 left out: near-duplicate" in said
    first = out.read_bytes()
    assert main([*arguments, "--quotas", "SAMSum=10"]) == 0
    assert out.read_bytes() == first
    assert main([*arguments, "--quotas", "SAMSum=100"]) == 1
    assert main([*arguments, "--quotas", "SAMSum"]) == 2
    capsys.readouterr()
    assert main(["facts", "describe", str(out), "--format", "tsv"]) == 0
    assert "daily life\tSAMSum\t20" in capsys.readouterr().out


def test_statistics_of_key_facts_and_facts_worked_out_by_hand() -> None:
    facts = [
        SourceFacts(
            source=str(n),
            facts=tuple(KeyFact(text="one two", language="en") for _ in range(n)),
        )
        for n in (1, 3)
    ]
    table = of_key_facts([*facts, SourceFacts(source="x", facts=None, reason="r")], {})
    assert table.rows == (("(not stated)", "2/3", "2.0 (1-3)", "4.0 (2-6)", "0"),)
    made = SummaryFacts(id="1", system="a", facts=("The sea rose.",), discarded=("b",))
    summary = Candidate(id="1", system="a", summary="The sea rose quickly.")
    assert of_summary_facts([made], [summary]).rows == (
        ("a", "1/1", "1.0 (1-1)", "3.0 (3-3)", "75.0", "50.00"),
    )
    assert losslessness("", []) is None
    assert of_sources([]).rows == ()


def test_a_file_that_is_not_there_is_told_with_what_to_do(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    readers: tuple[Callable[[Path], object], ...] = (read_prices, read_traits)
    for read in readers:
        with pytest.raises(DataError, match=r"gone: cannot be read .*: name a file that is"):
            read(gone)
