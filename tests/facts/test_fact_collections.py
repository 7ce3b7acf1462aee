"""Layouts of corpora, drawing from the command line, and the statistics of a collection."""

import json
from pathlib import Path

import pytest

from globesumm.cli import main
from globesumm.errors import DataError, UnknownName
from globesumm.values import KeyFact, Rejected
from metrics.facts.layouts import LAYOUTS, read_corpus
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
