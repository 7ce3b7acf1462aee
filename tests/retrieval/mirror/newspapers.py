"""Pages of news sites, each with what should become of it; `newspapers(mirror)` serves them all.

The verdicts: "article" (a document comes out), "gone" (404, 410), "refused" (403), "wall"
(consent, paywall, script), "disallowed" (robots.txt), "private" (an address inside a network,
reached by a redirect), "loop" (redirects without end), "slow" (no answer within the 30 seconds a
reader might wait), "large" (a body without end), "broken" (the connection breaks).
"""

import html
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.retrieval.mirror.replies import NOT_FOUND, Reply, status

if TYPE_CHECKING:
    from tests.retrieval.mirror.web_server import Mirror

SECONDS_TOO_LONG = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One address and what should become of it; `title` and `language` of an article."""

    name: str
    url: str
    verdict: str
    title: str = ""
    language: str = ""


STORIES: Mapping[str, Any] = tomllib.loads(
    Path(__file__).with_name("stories.toml").read_text(encoding="utf-8")
)
PLACES = ("Marenburg", "Ostrava Nova", "Villaseca", "Pontrieux", "Kaltenbach", "Sandoval")


def title_of(language: str, number: int) -> str:
    return str(STORIES[language]["title"]).format(n=number, place=PLACES[number % len(PLACES)])


def article(language: str, number: int, published: str = "2023-05-01T06:30:00+00:00") -> Reply:
    """A page with one story; another `number` is another place and other figures."""
    place = PLACES[number % len(PLACES)]
    title = html.escape(title_of(language, number))
    text = "\n".join(
        f"<p>{html.escape(line.format(n=number, place=place))}</p>"
        for line in STORIES[language]["paragraphs"]
    )
    body = f"""<!doctype html>
<html lang="{language}"><head><meta charset="utf-8"><title>{title}</title>
<meta property="og:title" content="{title}"><meta property="og:type" content="article">
<meta property="article:published_time" content="{published}"></head>
<body><header><nav><a href="/">Home</a> <a href="/sport">Sport</a></nav></header>
<main><article><h1>{title}</h1>
<time datetime="{published}">{published[:10]}</time>
{text}
</article></main><footer>© Paper</footer></body></html>"""
    return Reply(body=body.encode())


def _simple(title: str, *lines: str) -> Reply:
    text = "".join(f"<p>{line}</p>" for line in lines)
    body = f"<html lang='en'><head><title>{title}</title></head><body><h1>{title}</h1>{text}</body>"
    return Reply(body=body.encode())


def _moved(to: str, number: int = 302) -> Reply:
    return Reply(status=number, headers={"Location": to})


CONSENT = _simple(
    "Your privacy settings",
    "We and our 847 partners store and access information on your device, such as cookies.",
    "<button>Accept all</button> <button>Reject all</button> <a href='/p'>Manage options</a>",
)
PAYWALL = _simple(
    "Subscribe to continue reading",
    "This article is for subscribers only.",
    "Already a subscriber? <a href='/login'>Log in</a>. Subscribe now for 1 euro a month.",
)
SCRIPT = _simple("Just a moment...", "Please enable JavaScript and cookies to continue.")
REFRESH = b"<html><head><meta http-equiv='refresh' content='0; url=%s'></head><body></body></html>"

ODD_PAGES: Mapping[str, tuple[str, Reply]] = {
    "gone-404": ("gone", NOT_FOUND),
    "gone-410": ("gone", status(410, "Gone")),
    "refused-403": ("refused", status(403, "Access denied")),
    "wall-consent": ("wall", CONSENT),
    "wall-paywall": ("wall", PAYWALL),
    "wall-script": ("wall", SCRIPT),
    "to-metadata": ("private", _moved("http://169.254.169.254/latest/meta-data/")),
    "to-intranet": ("private", _moved("http://10.0.0.7/admin", 301)),
    "to-router": ("private", _moved("http://192.168.1.1/", 307)),
    "to-file": ("private", _moved("file:///etc/passwd")),
    "to-six": ("private", _moved("http://[fd00::1]/")),
    "to-mapped": ("private", _moved("http://[::ffff:10.0.0.7]/")),
    "to-zero": ("private", _moved("http://0.0.0.0:9/")),
    "loop-a": ("loop", _moved("/news/loop-b")),
    "loop-b": ("loop", _moved("/news/loop-a")),
    "loop-refresh": ("loop", Reply(body=REFRESH % b"/news/loop-refresh")),
    "too-slow": ("slow", Reply(body=b"<p>late</p>", delay=SECONDS_TOO_LONG)),
    "endless": ("large", Reply(sending="endless")),
    "reset": ("broken", Reply(sending="reset")),
}
"""Last part of the path under ``/news/`` → what should become of it, and what is served."""

ROBOTS = b"User-agent: *\nDisallow: /private-news/\n"


def newspapers(mirror: "Mirror", articles: int = 8) -> list[Page]:
    """Serve `articles` stories (their languages in turn) and the odd pages; what each should be.

    Two of the stories are also reached by redirects (a chain of three; permanent), and one more
    lies where robots.txt does not let anyone.
    """
    at, pages = mirror.address, []
    mirror.put("/robots.txt", ROBOTS, "text/plain")
    languages = list(STORIES)
    for number in range(articles):
        language = languages[number % len(languages)]
        mirror.put(f"/news/{language}/story-{number + 10}.html", article(language, number + 10))
        pages.append(_article_page(at, f"{language}/story-{number + 10}.html", language, number))
    for name, to, start in (("chain-1", "chain-2", 0), ("moved", "", 1)):
        target = pages[start].url.removeprefix(at)
        mirror.put(f"/news/{name}", _moved(f"/news/{to}" if to else target, 301))
        pages.append(_article_page(at, name, languages[start], start))
    mirror.put("/news/chain-2", _moved(f"{at}/news/chain-3", 307))
    mirror.put("/news/chain-3", _moved(pages[0].url.removeprefix(at), 308))
    mirror.put("/private-news/story.html", article("en", 99))
    pages.append(Page(name="robots", url=f"{at}/private-news/story.html", verdict="disallowed"))
    for name, (verdict, reply) in ODD_PAGES.items():
        mirror.put(f"/news/{name}", reply)
        pages.append(Page(name=name, url=f"{at}/news/{name}", verdict=verdict))
    return pages


def _article_page(at: str, path: str, language: str, number: int) -> Page:
    return Page(
        name=path,
        url=f"{at}/news/{path}",
        verdict="article",
        title=title_of(language, number + 10),
        language=language,
    )
