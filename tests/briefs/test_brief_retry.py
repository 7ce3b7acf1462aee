"""What could not be had for a passing reason, asked for again by the same command."""

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("aiohttp", reason="needs the extra 'retrieval'")
pytest.importorskip("warcio", reason="needs the extra 'retrieval'")

from globesumm.cli import main
from globesumm.runs import Run
from tests.retrieval.mirror.newspapers import article
from tests.retrieval.mirror.web_server import Mirror

STORY = "http://en.example/story"


@pytest.fixture
def mirror() -> Iterator[Mirror]:
    with Mirror() as running:
        running.site("en.example").put("/story", article("en", 7, "2023-05-01T06:30:00+00:00"))
        yield running


def test_where_no_page_could_be_had_the_same_command_asks_again_and_says_so(
    mirror: Mirror, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, place = tmp_path / "run", mirror.address.removeprefix("http://")
    quick = ("--recipe", "crs.none.lead", "--entailer", "lexical", "--encoder", "hashed-ngrams")
    net = ("--connect-to", f"*.example={place}", "--delay", "0")
    command = ["brief", STORY, "--out", str(out), *quick, *net]
    mirror.fault("*/story", "500")
    assert main(command) == 2
    said = capsys.readouterr().err
    assert "the same command asks for them again" in said
    assert "--retry" not in said
    mirror.mend()
    assert main(command) == 0
    assert [one.url for one in Run.open(out).events()[0].documents] == [STORY]
