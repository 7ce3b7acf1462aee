"""A small world on the local mirror: a portal page, GDELT's files and the newspapers they name."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from globesumm import samples
from tests.retrieval.mirror.gdelt_host import PRODUCTS, STREAMS, table_bytes, zip_of
from tests.retrieval.mirror.gdelt_rows import made_up
from tests.retrieval.mirror.newspapers import PLACES, article, title_of
from tests.retrieval.mirror.web_server import Mirror

NAMES = {
    "Earthquake": {
        "ar": "زلزال", "bg": "Земетресение", "de": "Erdbeben", "el": "Σεισμός",
        "es": "Terremoto", "fr": "Séisme", "he": "רעידת אדמה", "it": "Terremoto",
        "mk": "Земјотрес", "pt": "Sismo", "ru": "Землетрясение", "tr": "Deprem",
        "uk": "Землетрус",
    },
    "Morocco": {
        "ar": "المغرب", "bg": "Мароко", "de": "Marokko", "el": "Μαρόκο", "es": "Marruecos",
        "fr": "Maroc", "he": "מרוקו", "it": "Marocco", "mk": "Мароко", "pt": "Marrocos",
        "ru": "Марокко", "tr": "Fas", "uk": "Марокко",
    },
    "Marenburg": {"de": "Marenburg", "es": "Marenburg", "fr": "Marenburg"},
    "Kaltenbach": {"de": "Kaltenbach", "es": "Kaltenbach", "fr": "Kaltenbach"},
}  # fmt: skip
QUAKE = (
    "An [[earthquake]] of magnitude 6.8 strikes the Marrakesh–Safi region of [[Morocco]], killing "
    "at least 2,946 people and injuring 5,674 others."
)
FLOOD = "A river floods the lower town of [[{place}]], and its families are brought to a school."
DAY = """{{{{Current events|year=2023|month=09|day=9|content=
<!-- All news items below this line -->
'''Disasters and accidents'''
{bullets}
<!-- All news items above this line -->}}}}"""
DECOY = b"""<html lang="en"><head><title>When the ground shook Agadir</title>
<meta property="article:published_time" content="2023-09-11T09:00:00+00:00"></head><body><article>
<h1>When the ground shook Agadir</h1>
<p>The earthquake that destroyed Agadir in Morocco in February 1960 killed twelve thousand people
in fifteen seconds, and those who lived through it still remember the night.</p>
<p>The magnitude of that earthquake was moderate, but it struck right below the town, and most
houses were of loose stone. The town was built anew two kilometres to the south.</p>
<p>Morocco wrote its first rules for building against earthquakes after it, and engineers still
teach the case to their students as a lesson in how shallow shocks destroy old towns.</p>
</article></body></html>"""
CODES = {
    "ar": "ara", "bg": "bul", "de": "deu", "el": "ell", "es": "spa", "fr": "fra", "he": "heb",
    "it": "ita", "mk": "mkd", "pt": "por", "ru": "rus", "tr": "tur", "uk": "ukr",
}  # fmt: skip


@dataclass
class World:
    """What is served: address of a report to its language and title, by event."""

    mirror: Mirror
    reports: dict[str, tuple[str, str]] = field(default_factory=dict)

    @property
    def place(self) -> str:
        return self.mirror.address.removeprefix("http://")

    def serve(
        self, *, quake: bool = True, days: tuple[str, str] = ("20230908", "20230913")
    ) -> None:
        """The portal's day, the newspapers' pages and a GDELT file for each quarter-hour."""
        bullets = [
            f"*{FLOOD.format(place=place)} [http://en.example/gone (A)]" for place in _floods()
        ]
        if quake:
            bullets.insert(0, f"*{QUAKE} [http://paper02.example/story (Ledger)]")
            self._serve_quake()
        wikitext = DAY.format(bullets="\n".join(bullets))
        self.mirror.wiki.add("Portal:Current events/2023 September 9", wikitext, revision=7)
        self.mirror.wiki.languages |= NAMES
        self._serve_floods()
        self._page("sport.example", "/final", DECOY, "en", "Rovers win the final on penalties")
        self._serve_gdelt(*days)

    def _serve_quake(self) -> None:
        sample = samples.load("marrakesh-earthquake")
        for row in sample.rows:
            number = Path(row["file"]).name[:2]
            content = (sample.pages / Path(row["file"]).name).read_bytes()
            self._page(f"paper{number}.example", "/story", content, row["language"], row["title"])
        self._page("archive.example", "/1960", DECOY, "en", "When the ground shook Agadir")

    def _serve_floods(self) -> None:
        for place in _floods():
            number = PLACES.index(place) + 60
            for language in ("en", "de", "es", "fr"):
                reply = article(language, number, "2023-09-09T08:30:00+00:00")
                host, path = f"{language}.example", f"/flood-{number}"
                self._page(host, path, reply.body, language, title_of(language, number))

    def _page(self, host: str, path: str, content: bytes, language: str, title: str) -> None:
        # Each page states its own encoding, or the gate would not be the real one.
        self.mirror.site(host).put(path, content, "text/html")
        self.reports[f"http://{host}{path}"] = (language, title)

    def _serve_gdelt(self, first: str, last: str) -> None:
        start = datetime.strptime(first, "%Y%m%d").replace(tzinfo=UTC)
        end = datetime.strptime(last, "%Y%m%d").replace(tzinfo=UTC) + timedelta(days=1)
        slots = int((end - start) / timedelta(minutes=15))
        streams = {"english": ["en"], "translation": list(CODES)}
        for number in range(slots):
            stamp = f"{start + timedelta(minutes=15 * number):%Y%m%d%H%M%S}"
            for stream, languages in streams.items():
                # All reports lie in one late slot; the others are as empty as GDELT's rarely are.
                rows = self._rows(stream, stamp, languages) if number == slots - 1 else []
                member = f"{stamp}{STREAMS[stream]}.{PRODUCTS['gkg']}"
                zipped = zip_of(member, table_bytes(rows))
                self.mirror.gdelt.add(stamp, stream, "gkg", content=zipped)

    def _rows(self, stream: str, stamp: str, languages: list[str]) -> list[list[str]]:
        rows = []
        for number, (url, (language, title)) in enumerate(self.reports.items()):
            if language not in languages:
                continue
            row = made_up(stream, "gkg", number)
            row[0], row[1], row[4] = f"{stamp}-{number}", stamp, url
            if language != "en":
                row[25] = f"srclc:{CODES[language]};eng:Moses 2.1.1 / GT 1.0"
            row[26] = f"<PAGE_TITLE>{title}</PAGE_TITLE>"
            rows.append(row)
        return rows

    def config(self, path: Path, tables: Mapping[str, str] | None = None) -> Path:
        """A config file for this world; `tables` replaces or adds lines by table."""
        parts = {
            "": 'first = 2023-09-09\nlast = 2023-09-09\nlanguages = ["ar", "bg", "de", "el", "en", '
            '"es", "fr", "he", "it", "mk", "pt", "ru", "tr", "uk"]',
            "portal": f'api = "{self.mirror.address}"\ncontact = "test@example.org"\n'
            "wait_seconds = 0.01",
            "gdelt": f'base = "{self.mirror.gdelt.base}"\nwait_seconds = 0.01',
            "fetch": f'delay_seconds = 0\ntimeout_seconds = 5\nconnect_to = {{ "*.example" = '
            f'"{self.place}" }}',
            "candidates": "k = 3\ndays_before = 1\ndays_after = 4",
            "verify": 'unjudged = "keep"',
            "keep": "documents = 4\nlanguages = 4",
        } | dict(tables or {})
        lines = [f"[{name}]\n{text}\n" if name else f"{text}\n" for name, text in parts.items()]
        path.write_text("\n".join(lines), encoding="utf-8")
        tomllib.loads(path.read_text(encoding="utf-8"))
        return path


def _floods() -> tuple[str, str]:
    return "Marenburg", "Kaltenbach"
