"""Outlets by domain: GDELT's countries, a user's own columns, agencies."""

from pathlib import Path

import pytest

from globesumm.errors import UsageError
from globesumm.values import Document
from retrieval.outlets import Outlets, agency_table, fips_to_iso, outlets_in

GDELT = "example.es\tSP\tSpain\nexample.de\tGM\tGermany\nbroken line\nx.example\tZZ\tNowhere\n"


def table(tmp_path: Path, content: str, name: str = "table.csv") -> Path:
    (tmp_path / name).write_text(content, encoding="utf-8")
    return tmp_path / name


def test_gdelts_countries_are_read_with_their_own_codes(tmp_path: Path) -> None:
    outlets = outlets_in([table(tmp_path, GDELT, "domains.txt")])
    countries = {
        host: outlet.country
        for host in ("example.es", "www.example.de", "noticias.example.es", "x.example")
        if (outlet := outlets.of(f"https://{host}/a")) is not None
    }
    assert countries == {"example.es": "ES", "www.example.de": "DE",
                         "noticias.example.es": "ES", "x.example": "Nowhere"}  # fmt: skip
    assert outlets.of("https://other.example/") is None
    assert outlets.of("https://notexample.es/") is None
    assert outlets.of(None) is None


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_a_users_columns_are_carried_as_they_are(tmp_path: Path, mark: str) -> None:
    rows = [["Domain", "Country", "Ownership", "State affiliated"],
            ["https://www.daily.example/", "XK", "Daily Holding", "no"],
            ["state.example", "", "", "yes"], ["", "DE", "", ""]]  # fmt: skip
    path = table(tmp_path, "\n".join(mark.join(row) for row in rows))
    outlets = outlets_in([path])
    daily, state = (outlets.of(f"http://{host}.example/x") for host in ("m.daily", "state"))
    assert daily is not None
    assert state is not None
    assert (daily.country, daily.facts) == (
        "XK",
        {"ownership": "Daily Holding", "state affiliated": "no"},
    )
    assert (state.country, state.facts) == (None, {"state affiliated": "yes"})


def test_a_later_table_adds_to_an_earlier_one_and_counts_where_both_speak(tmp_path: Path) -> None:
    own = table(tmp_path, "domain,country,tier\nexample.es,AD,1\n")
    outlets = outlets_in([table(tmp_path, GDELT, "domains.txt"), own])
    spain, germany = outlets.of("http://example.es/"), outlets.of("http://example.de/")
    assert spain is not None
    assert (spain.country, spain.facts) == ("AD", {"tier": "1"})
    assert germany is not None
    assert germany.country == "DE"


def test_a_document_gets_its_outlet_and_keeps_the_rest(tmp_path: Path) -> None:
    outlets = outlets_in([table(tmp_path, GDELT, "domains.txt")])
    document = Document(id="a", text="x", language="es", url="https://www.example.es/a")
    completed = outlets.completed(document)
    assert completed.outlet is not None
    assert completed.outlet.country == "ES"
    assert hash(completed)
    other = Document(id="b", text="x", language="es")
    assert outlets.completed(other) is other


def test_an_agencys_own_site_is_known_without_a_table() -> None:
    outlet = Outlets().of("https://www.reuters.com/world/x")
    assert outlet is not None
    assert outlet.agency == "Reuters"


@pytest.mark.parametrize("content", ["", "name,country\nx,DE\n", "<html></html>", "\0\0\0"])
def test_what_is_no_table_of_domains_is_refused(tmp_path: Path, content: str) -> None:
    with pytest.raises(UsageError):
        outlets_in([table(tmp_path, content)])
    with pytest.raises(UsageError):
        outlets_in([tmp_path / "none.csv"])


def test_codes_that_look_like_others_are_told_apart() -> None:
    codes = fips_to_iso()
    traps = {"SP": "ES", "PO": "PT", "UP": "UA", "GM": "DE", "CH": "CN", "BG": "BD", "IS": "IL",
             "AS": "AU", "SZ": "CH", "SW": "SE", "RS": "RU", "EI": "IE"}  # fmt: skip
    assert {fips: codes[fips] for fips in traps} == traps
    assert all(len(fips) == len(iso) == 2 and iso.isupper() for fips, iso in codes.items())


def test_no_two_agencies_share_a_domain() -> None:
    domains = [domain for row in agency_table().values() for domain in row["domains"]]
    assert len(domains) == len(set(domains))
    assert all(row["names"] for row in agency_table().values())
