"""A user name or password in a web address is never sent, printed or stored."""

import json
from pathlib import Path

import pytest

from globesumm.errors import UsageError
from retrieval.draft import Fetching, Settings
from retrieval.fetch_many import fetch_all
from retrieval.read import read
from retrieval.url import has_credentials, without_credentials

SECRET = "s3cret"
ADDRESSES = (
    f"http://user:{SECRET}@news.example/a",
    f"https://{SECRET}@news.example/a?b=c@d",
    f"http://user:{SECRET}@x@news.example/a",
    f"ftp://user:{SECRET}@news.example/a",
)
TEXT = "The bridge over the river closed on Monday after engineers found cracks in two pillars."


@pytest.mark.parametrize("address", ADDRESSES)
def test_credentials_are_cut_out_and_nothing_else(address: str) -> None:
    assert has_credentials(address)
    bare = without_credentials(address)
    assert SECRET not in bare
    assert "://news.example/a" in bare
    assert without_credentials(bare) == bare


@pytest.mark.parametrize("address", ["http://a.example/@b", "http://a.example?x=@", "a@b", ""])
def test_an_at_sign_elsewhere_is_none(address: str) -> None:
    assert not has_credentials(address)
    assert without_credentials(address) == address


@pytest.mark.parametrize("address", ADDRESSES)
def test_such_an_address_is_refused_without_repeating_the_secret(address: str) -> None:
    with pytest.raises(UsageError) as refusal:
        read(address)
    assert SECRET not in str(refusal.value)


@pytest.mark.parametrize("address", ADDRESSES[:3])
def test_the_fetcher_does_not_send_them_either(address: str) -> None:
    ((_, answer),) = fetch_all([address], Fetching(allow_private=True, robots=False), 1000)
    assert isinstance(answer, Exception)
    assert SECRET not in str(answer)


def test_no_way_of_reading_stores_them(tmp_path: Path) -> None:
    url = ADDRESSES[0]
    own: dict[str, object] = {"id": "a", "text": TEXT, "language": "en", "language_declared": None,
           "language_detected": "en", "notes": [], "url": url}  # fmt: skip
    (tmp_path / "own.jsonl").write_text(json.dumps(own))
    (tmp_path / "fields.jsonl").write_text(json.dumps({"text": TEXT, "url": url}))
    (tmp_path / "list.urls").write_text("\n".join(ADDRESSES))
    (tmp_path / "feed.rss").write_text(
        f"<rss version='2.0'><channel><title>News</title><item><link>{url}</link>"
        f"<description>{TEXT}</description></item></channel></rss>"
    )
    (tmp_path / "page.html").write_text(
        f"<html><head><link rel='canonical' href='{url}'></head><body><p>{TEXT}</p></body></html>"
    )
    settings = Settings(fetching=Fetching(robots=False))
    found = list(read(tmp_path, settings=settings))
    assert len(found) == 4 + len(ADDRESSES)
    assert SECRET not in repr(found)
