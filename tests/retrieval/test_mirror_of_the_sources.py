"""The mirror is what it says: other tests rest on it."""

import hashlib
import http.client
import io
import json
import os
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.retrieval.mirror.gdelt_host import PUBLIC_BASE
from tests.retrieval.mirror.gdelt_rows import COLUMNS
from tests.retrieval.mirror.newspapers import newspapers
from tests.retrieval.mirror.replies import FAULTS
from tests.retrieval.mirror.web_server import Mirror

MOST_BYTES = 1_000_000
AGENT = {"User-Agent": "tests/1 (tests@example.org)"}


def get(url: str, headers: dict[str, str] | None = None, seconds: float = 10) -> bytes:
    request = urllib.request.Request(url, headers=headers or AGENT)
    with urllib.request.urlopen(request, timeout=seconds) as answer:
        content: bytes = answer.read(None if answer.headers["Content-Length"] else MOST_BYTES)
    return content


def refusal(url: str, headers: dict[str, str] | None = None) -> urllib.error.HTTPError:
    with pytest.raises(urllib.error.HTTPError) as caught:
        get(url, headers)
    return caught.value


def ask(mirror: Mirror, **parameters: str) -> dict[str, Any]:
    parameters |= {"format": "json", "formatversion": "2"}
    answer: dict[str, Any] = json.loads(
        get(f"{mirror.wiki.api}?{urllib.parse.urlencode(parameters)}")
    )
    return answer


@pytest.mark.parametrize("infix", ["", "-translation"])
def test_a_list_names_size_md5_and_public_address_of_every_zip(mirror: Mirror, infix: str) -> None:
    mirror.gdelt.fill("20230501000000", slots=3, skip={"20230501001500"})
    lines = get(f"{mirror.gdelt.base}masterfilelist{infix}.txt").decode().splitlines()
    assert len(lines) == 6
    for line in lines:
        size, md5, url = line.split(" ")
        assert url.startswith(PUBLIC_BASE)
        name = url.removeprefix(PUBLIC_BASE)
        content = get(mirror.gdelt.base + name)
        assert (len(content), hashlib.md5(content).hexdigest()) == (int(size), md5)
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            (member,) = archive.namelist()
            assert name == f"{member}.zip"
            rows = archive.read(member).decode().removesuffix("\n").split("\n")
        file = mirror.gdelt.files[name]
        assert {len(row.split("\t")) for row in rows} == {COLUMNS[file.product]}
        assert len(rows) == file.rows == 10
    newest = get(f"{mirror.gdelt.base}lastupdate{infix}.txt").decode().splitlines()
    assert newest == lines[-3:]


def test_no_two_slots_share_an_address_or_a_record(mirror: Mirror) -> None:
    mirror.gdelt.fill("20230501000000", slots=4, products=["gkg"], rows=30)
    urls = [url for file in mirror.gdelt.files.values() for url in file.urls]
    assert len(set(urls)) == len(urls) == 4 * 2 * 30


def test_given_addresses_take_the_place_of_the_documents(mirror: Mirror) -> None:
    given = [page.url for page in newspapers(mirror)]
    mirror.gdelt.fill("20230501000000", slots=2, products=["gkg"], urls=given)
    assert [url for it in mirror.gdelt.files.values() for url in it.urls][: len(given)] == given


@pytest.mark.skipif("GLOBESUMM_DATA" not in os.environ, reason="GLOBESUMM_DATA is not set")
def test_rows_are_real_ones_where_the_samples_are(mirror: Mirror) -> None:
    (file,) = [mirror.gdelt.add("20230501000000", "translation")]
    with zipfile.ZipFile(io.BytesIO(file.content)) as archive:
        assert archive.read(archive.namelist()[0]).count(b"<PAGE_TITLE>") == 10


@pytest.mark.parametrize("name", sorted(FAULTS.keys() - {"trickle"}))
def test_each_accident_befalls_the_answer_as_often_as_asked(mirror: Mirror, name: str) -> None:
    file = mirror.gdelt.add("20230501000000")
    url, whole = mirror.gdelt.base + file.name, file.content
    mirror.fault("*.gkg.csv.zip", name, times=1)
    began = time.monotonic()
    try:
        content = get(url, seconds=3)
    except urllib.error.HTTPError as error:
        seen = f"{error.code}{' with Retry-After' if error.headers['Retry-After'] else ''}"
    except (http.client.IncompleteRead, ConnectionError) as error:
        seen = "reset" if isinstance(error, ConnectionError) else "cut"
    else:
        size = "longer" if len(content) > len(whole) else "truncated"
        seen = "wrong bytes" if len(content) == len(whole) else size
        seen = "slow" if content == whole and time.monotonic() - began > 1 else seen
    alike = {"empty": "truncated", "page instead": "truncated", "endless": "longer"}
    assert seen == alike.get(name, name)
    assert get(url) == whole
    assert mirror.asked("/gdeltv2/") == [f"/gdeltv2/{file.name}"] * 2


def test_a_trickle_comes_byte_by_byte(mirror: Mirror) -> None:
    mirror.put("/a", b"x" * 12)
    mirror.fault("/a", "trickle")
    began = time.monotonic()
    assert get(f"{mirror.address}/a") == b"x" * 12
    assert time.monotonic() - began > 1


def test_what_is_not_there_is_404_and_416_for_a_range(mirror: Mirror) -> None:
    url = f"{mirror.gdelt.base}20230501000000.gkg.csv.zip"
    assert refusal(url).code == 404
    assert refusal(url, {**AGENT, "Range": "bytes=5-"}).code == 416


def test_an_unchanged_file_is_304_and_a_range_is_its_rest(mirror: Mirror) -> None:
    file = mirror.gdelt.add("20230501000000")
    url = mirror.gdelt.base + file.name
    etag = f'"{file.listed_md5}"'
    assert refusal(url, {**AGENT, "If-None-Match": etag}).code == 304
    assert get(url, {**AGENT, "Range": "bytes=100-"}) == file.content[100:]


def test_hosts_have_contents_of_their_own(mirror: Mirror) -> None:
    mirror.site("paper.example").put("/a", b"theirs")
    mirror.put("/a", b"ours")
    assert get(f"{mirror.address}/a") == b"ours"
    assert get(f"{mirror.address}/a", {**AGENT, "Host": "paper.example"}) == b"theirs"
    assert [seen.host for seen in mirror.requests] == ["127.0.0.1", "paper.example"]


def test_requests_in_flight_together_are_counted(mirror: Mirror) -> None:
    mirror.put("/slow", b"x")
    mirror.fault("/slow", "slow")
    threads = [threading.Thread(target=get, args=(f"{mirror.address}/slow",)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert mirror.most_at_once("/slow") == 3


def test_the_wiki_gives_revisions_in_pieces_that_are_continued(mirror: Mirror) -> None:
    titles = [f"Portal:Current events/2023 May {day}" for day in range(1, 6)]
    for number, title in enumerate(titles):
        mirror.wiki.add(title, f"first {title}", revision=100 + number)
        mirror.wiki.add(title, f"text of {title}", revision=200 + number)
    mirror.wiki.pages_an_answer = 2
    found: dict[str, str] = {}
    more: dict[str, str] = {}
    asked = {
        "action": "query", "prop": "revisions", "rvprop": "ids|timestamp|content",
        "rvslots": "main", "titles": "|".join([*titles, "Portal:Current events/2023 May 31"]),
    }  # fmt: skip
    for _ in range(3):
        answer = ask(mirror, **asked, **more)
        for page in answer["query"]["pages"]:
            for revision in page.get("revisions", ()):
                assert revision["revid"] >= 200
                found[page["title"]] = revision["slots"]["main"]["content"]
        more = answer.get("continue", {})
    assert not more
    assert answer["query"]["pages"][-1] == {
        "ns": 100, "title": "Portal:Current events/2023 May 31", "missing": True
    }  # fmt: skip
    assert found == {title: f"text of {title}" for title in titles}


def test_the_wiki_parses_the_page_or_the_revision_asked_for(mirror: Mirror) -> None:
    mirror.wiki.add("Portal:P", "old", revision=1)
    mirror.wiki.add("Portal:P", "new", revision=2)
    mirror.wiki.redirects["Portal:Q"] = "Portal:P"
    new = ask(mirror, action="parse", page="Portal:Q", prop="wikitext|revid", redirects="1")
    assert new["parse"] | {"pageid": 0} == {
        "title": "Portal:P", "pageid": 0, "revid": 2, "wikitext": "new"
    }  # fmt: skip
    assert ask(mirror, action="parse", oldid="1", prop="wikitext")["parse"]["wikitext"] == "old"
    missing = ask(mirror, action="parse", page="Portal:R", prop="wikitext")
    assert missing["error"]["code"] == "missingtitle"


def test_language_links_are_continued_normalized_and_redirected(mirror: Mirror) -> None:
    mirror.wiki.languages = {
        "Russia": {"de": "Russland", "fr": "Russie", "ru": "Россия"},
        "Ukraine": {"de": "Ukraine", "uk": "Україна"},
    }
    mirror.wiki.redirects["Russian Federation"] = "Russia"
    mirror.wiki.links_an_answer = 2
    asked = {
        "action": "query", "prop": "langlinks", "lllimit": "max", "redirects": "1",
        "titles": "Russian_Federation|ukraine|Nowhere",
    }  # fmt: skip
    found: dict[str, dict[str, str]] = {}
    more: dict[str, str] = {}
    answers = 0
    while answers == 0 or more:
        answer = ask(mirror, **asked, **more)
        for page in answer["query"]["pages"]:
            links = {it["lang"]: it["title"] for it in page.get("langlinks", ())}
            found.setdefault(page["title"], {}).update(links)
        more = answer.get("continue", {})
        answers += 1
    assert answers == 3
    assert found == {**mirror.wiki.languages, "Nowhere": {}}
    assert answer["query"]["redirects"] == [{"from": "Russian Federation", "to": "Russia"}]
    assert [it["to"] for it in answer["query"]["normalized"]] == ["Russian Federation", "Ukraine"]
    one = ask(mirror, action="query", prop="langlinks", titles="Russia", lllang="ru")
    assert one["query"]["pages"][0]["langlinks"] == [{"lang": "ru", "title": "Россия"}]


def test_the_wiki_lags_with_http_200_and_wants_a_contact(mirror: Mirror) -> None:
    mirror.wiki.add("P", "text", revision=1)
    mirror.wiki.lag(answers=1)
    assert ask(mirror, action="parse", page="P", maxlag="5")["error"]["code"] == "maxlag"
    assert "parse" in ask(mirror, action="parse", page="P", maxlag="5")
    refused = refusal(f"{mirror.wiki.api}?action=parse", {"User-Agent": "python-requests/2.32"})
    assert refused.code == 403
    assert b"T400119" in refused.read()


def test_too_many_titles_are_refused_and_a_lost_revision_is_named(mirror: Mirror) -> None:
    many = ask(mirror, action="query", titles="|".join(map(str, range(51))))
    assert many["error"]["code"] == "toomanyvalues"
    lost = ask(mirror, action="query", revids="7")
    assert lost["query"]["badrevids"] == {"7": {"revid": 7, "missing": True}}


@pytest.mark.skipif("GLOBESUMM_DATA" not in os.environ, reason="GLOBESUMM_DATA is not set")
def test_the_saved_portal_days_are_served_with_their_revisions(mirror: Mirror) -> None:
    titles = mirror.wiki.load(Path(os.environ["GLOBESUMM_DATA"]) / "portal" / "wikitext")
    assert len(titles) >= 5
    answer = ask(
        mirror, action="query", prop="revisions", rvprop="ids|content", rvslots="main",
        titles="Portal:Current events/2023 October 7",
    )  # fmt: skip
    (revision,) = answer["query"]["pages"][0]["revisions"]
    assert revision["revid"] == 1362423949
    assert "Mohammed Deif" in revision["slots"]["main"]["content"]


def test_newspapers_serve_stories_behind_redirects_and_robots(mirror: Mirror) -> None:
    pages = {page.name: page for page in newspapers(mirror, articles=4)}
    stories = [page for page in pages.values() if page.verdict == "article"]
    assert len(stories) == 6
    for page in stories:
        assert f"<h1>{page.title}</h1>" in get(page.url).decode()
    assert b"Disallow: /private-news/" in get(f"{mirror.address}/robots.txt")
    assert refusal(pages["gone-410"].url).code == 410
    kinds = {"gone", "refused", "wall", "private", "loop", "slow", "large", "broken", "disallowed"}
    assert {page.verdict for page in pages.values()} == kinds | {"article"}
