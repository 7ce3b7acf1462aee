"""``globesumm fetch`` on the local mirror: pages of every fate, an account, kill and resume."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("aiohttp", reason="needs the extra 'retrieval'")
pytest.importorskip("warcio", reason="needs the extra 'retrieval'")

from globesumm.cli.main import run
from globesumm.records import read_own_records
from globesumm.values import Document, Rejected
from retrieval.draft import Settings
from retrieval.fetching import Fetching
from retrieval.read import read
from tests.retrieval.mirror.newspapers import Page, article, newspapers
from tests.retrieval.mirror.web_server import Mirror

FATES = {
    "gone": {"gone"},
    "refused": {"refused"},
    "disallowed": {"robots-disallowed"},
    "private": {"not-public", "not-web"},
    "loop": {"redirect-loop"},
    "slow": {"too-slow"},
    "large": {"too-large", "too-slow"},
    "broken": {"broken-answer", "unreachable"},
}


class Papers:
    """The mirror's pages under a public name, and the command that fetches them."""

    def __init__(self, mirror: Mirror, folder: Path) -> None:
        self.mirror, self.out = mirror, folder / "out"
        self.place = mirror.address.removeprefix("http://")
        self.list = folder / "list.txt"

    def serve(self) -> list[Page]:
        self.mirror.address = "http://paper.example"
        return newspapers(self.mirror)

    def ask_for(self, *urls: str) -> None:
        self.list.write_text("\n".join(urls) + "\n")

    def command(self, *more: str) -> list[str]:
        return ["fetch", str(self.list), "--out", str(self.out), "--connect-to",
                f"*.example={self.place}", "--delay", "0", "--timeout", "2", "--workers", "1",
                *more]  # fmt: skip

    def documents(self) -> list[Document]:
        return list(read_own_records(self.out / "documents.jsonl", Document))

    def rejected(self) -> list[Rejected]:
        return list(read_own_records(self.out / "rejected.jsonl", Rejected))


@pytest.fixture
def papers(mirror: Mirror, tmp_path: Path) -> Papers:
    return Papers(mirror, tmp_path)


@pytest.mark.slow
def test_pages_with_every_fate_become_documents_and_an_account_with_one_command(
    papers: Papers, capsys: pytest.CaptureFixture[str]
) -> None:
    pages = papers.serve()
    papers.ask_for(*(page.url for page in pages))
    assert run(papers.command()) == 1
    told = capsys.readouterr()
    by_url = {one.where: one for one in papers.rejected()}
    articles = {page.url: page for page in pages if page.verdict == "article"}
    documents = papers.documents()
    assert {document.title for document in documents} == {page.title for page in articles.values()}
    assert {document.language for document in documents} >= {
        page.language for page in articles.values()
    }
    for page in pages:
        if page.verdict in FATES:
            assert by_url[page.url].kind in FATES[page.verdict], page
    assert f"{len(documents)} of {len(pages)} rows became documents" in told.out
    drops = [line.split("\t") for line in (papers.out / "drops.tsv").read_text().splitlines()]
    assert drops[0] == ["host", "language", "what", "pages"]
    assert sum(int(row[3]) for row in drops[1:]) == len(pages)
    kinds = Counter(one.kind for one in papers.rejected())
    assert sum(int(row[3]) for row in drops[1:] if row[2] == "gone") == kinds["gone"] == 2

    papers.mirror.forget()
    before = (papers.out / "documents.jsonl").read_bytes()
    assert run(papers.command()) == 1
    assert "nothing was asked for" in capsys.readouterr().err
    assert papers.mirror.asked("/") == []
    assert (papers.out / "documents.jsonl").read_bytes() == before

    assert run(papers.command("--dry-run")) == 0
    assert f"0 of {len(pages)} pages would be asked for" in capsys.readouterr().out
    papers.mirror.forget()
    run(papers.command("--retry"))
    asked = {path for path in papers.mirror.asked("/") if path != "/robots.txt"}
    assert asked
    assert all(path.rsplit("/", 1)[1] in {"too-slow", "endless", "reset"} for path in asked)


def test_a_name_that_leads_into_the_network_becomes_no_document(
    papers: Papers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever an earlier look-up said: the address that is used is the one that is checked."""
    papers.serve()
    papers.mirror.put("/news/1", article("en", 1))
    port = int(papers.place.rpartition(":")[2])
    rows = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: rows)
    papers.ask_for("http://paper.example/news/1", f"http://rebind.test:{port}/news/1")
    assert run(papers.command()) == 1
    assert [one.kind for one in papers.rejected()] == ["not-public"]
    assert len(papers.documents()) == 1
    assert papers.mirror.asked("/news/") == ["/news/1"]


def test_reading_a_list_shares_the_gate_of_fetching_it(papers: Papers) -> None:
    pages = {page.name: page.url for page in papers.serve()}
    papers.mirror.put("/news/1", article("en", 1))
    papers.ask_for("http://paper.example/news/1", pages["wall-consent"], pages["gone-404"])
    settings = Settings(
        fetching=Fetching(connect_to={"*.example": papers.place}, delay_seconds=0.0)
    )
    document, *rejected = read(papers.list, settings=settings)
    assert isinstance(document, Document)
    kinds = [one.kind for one in rejected if isinstance(one, Rejected)]
    assert kinds[1] == "gone"
    assert kinds[0] not in {None, "gone", "other"}


def test_a_longer_list_fetches_only_what_is_new(papers: Papers) -> None:
    papers.serve()
    for number in range(30, 36):
        papers.mirror.put(f"/news/{number}", article("en", number))
    papers.ask_for(*(f"http://paper.example/news/{n}" for n in range(30, 33)))
    assert run(papers.command()) == 0
    papers.mirror.forget()
    papers.ask_for(*(f"http://www.paper.example/news/{n}?utm_source=x" for n in range(30, 36)))
    assert run(papers.command()) == 0
    assert sorted(papers.mirror.asked("/news/")) == [
        f"/news/{n}?utm_source=x" for n in range(33, 36)
    ]
    assert len(papers.documents()) == 6


def test_what_a_row_says_goes_with_its_page(papers: Papers) -> None:
    papers.serve()
    papers.mirror.put("/news/1", article("de", 1))
    papers.mirror.put("/news/2", article("de", 2))
    rows: list[dict[str, Any]] = [
        {"url": "http://paper.example/news/1", "language": "deu", "seen": "20230501093000"},
        {"sources": [{"url": "http://paper.example/news/2", "outlet": "Paper"}], "id": "x"},
        {"url": "javascript:alert(1)"},
        {"title": "none"},
    ]
    papers.list = papers.list.with_suffix(".jsonl")
    papers.list.write_text("".join(json.dumps(row) + "\n" for row in rows) + "{torn\n")
    assert run(papers.command()) == 1
    first, second = sorted(papers.documents(), key=lambda document: document.url or "")
    assert (first.language_prior, second.language_prior) == ("de", None)
    assert len(papers.rejected()) == 3


@pytest.mark.slow
def test_a_killed_run_goes_on_where_it_was(papers: Papers) -> None:
    papers.serve()
    for number in range(40):
        papers.mirror.put(f"/news/{number}", article("en", number))
    papers.ask_for(*(f"http://paper.example/news/{number}" for number in range(40)))
    papers.mirror.fault("/news/[0-9]*", "slow")
    code = "import sys; from globesumm.cli.main import run; sys.exit(run(sys.argv[1:]))"
    command = [sys.executable, "-c", code, *papers.command("--timeout", "9", "--per-host", "4")]
    process = subprocess.Popen(
        command, cwd=Path(__file__).parents[2], stderr=subprocess.DEVNULL, start_new_session=True
    )
    deadline = time.monotonic() + 60
    while len(papers.mirror.asked("/news/")) < 13 and time.monotonic() < deadline:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert not (papers.out / "documents.jsonl").exists()
    first = len(papers.mirror.asked("/news/"))
    papers.mirror.mend()
    papers.mirror.forget()
    assert run(papers.command()) == 0
    second = papers.mirror.asked("/news/")
    assert len(papers.documents()) == 40
    # Four pages are under way at a time, and as many may be on their way to the disk.
    assert len(set(second)) == len(second) <= 40 - (first - 8)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--connect-to", "x"], "HOST=ADDRESS:PORT"),
        (["--connect-to", "x=localhost:1"], "address:port"),
        (["--concurrency", "0"], "--concurrency"),
        (["--delay", "nan"], "--delay"),
        (["--contact", "ü"], "ASCII"),
        (["--languages", "en,xx-nonsense"], "xx-nonsense"),
    ],
)
def test_a_wrong_option_is_said_before_anything_is_asked(
    papers: Papers, more: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    papers.ask_for("http://paper.example/")
    assert run(papers.command(*more)) == 2
    assert said in capsys.readouterr().err
    assert papers.mirror.requests == []
    assert not papers.out.exists()


@pytest.mark.parametrize(
    "content", ["", "# nothing\n", "nonsense\n", "\0\0\n", "ftp://a.example/\n"]
)
def test_a_list_without_addresses_is_refused(papers: Papers, content: str) -> None:
    papers.list.write_text(content)
    assert run(papers.command()) == 2
    assert not (papers.out / "documents.jsonl").exists()


@pytest.mark.parametrize("way", ["option", "environment"])
def test_the_contact_is_sent_to_sites(
    papers: Papers, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    papers.serve()
    papers.mirror.put("/news/1", article("en", 1))
    papers.ask_for("http://paper.example/news/1")
    if way == "environment":
        monkeypatch.setenv("GLOBESUMM_CONTACT", "news@uni.example")
        assert run(papers.command()) == 0
    else:
        assert run(papers.command("--contact", "news@uni.example")) == 0
    agents = {request.user_agent for request in papers.mirror.requests}
    assert len(agents) == 1
    assert "news@uni.example" in agents.pop()


def test_warc_files_are_read_in_place_of_fetching(
    papers: Papers, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    papers.serve()
    for number in range(3):
        papers.mirror.put(f"/news/{number}", article("en", number))
    papers.ask_for(*(f"http://paper.example/news/{number}" for number in range(3)))
    assert run(papers.command()) == 0
    papers.mirror.forget()
    first, folder = papers.documents(), tmp_path / "crawl"
    folder.mkdir()
    for number, path in enumerate(papers.out.glob("pages/*.warc.gz")):
        content = path.read_bytes()
        (folder / f"CC-NEWS-{number}.warc.gz").write_bytes(content + b"\x1f\x8b\x08 torn")
    papers.list, papers.out = folder, tmp_path / "other"
    assert run(papers.command("--dry-run")) == 0
    assert "WARC file" in capsys.readouterr().err
    assert run(papers.command()) == 1
    assert papers.mirror.requests == []
    assert {one.text for one in papers.documents()} == {one.text for one in first}
    assert {one.kind for one in papers.rejected()} == {"broken-record"}
    assert run(papers.command()) == 1
    assert "all is there" in capsys.readouterr().err
