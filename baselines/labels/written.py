"""A page of tables for a terminal and as HTML."""

from html import escape

from baselines.studies.page import Page
from metrics.narrowed import text_within, within
from metrics.printed import one_line

STYLE = (
    "<style>body{font-family:sans-serif;margin:2em}table{border-collapse:collapse}"
    "td,th{border:1px solid #999;padding:.2em .5em;text-align:start}</style>"
)


FORMS = ("table", "markdown", "html")


def written(page: Page, form: str) -> str:
    """The page in one of `FORMS`."""
    if form == "markdown":
        return page.markdown()
    return html(page) if form == "html" else text(page)


def text(page: Page) -> str:
    """The page for a terminal."""
    lines = [page.title, "", *(f"{name}: {value}" for name, value in page.settings)]
    for section in page.sections:
        lines += ["", f"# {section.title}", within(section.about), ""]
        lines += [text_within(section.table).rstrip("\n")]
    return "\n".join(lines) + "\n"


def html(page: Page) -> str:
    """The page as a document of its own; names and texts from data are never markup."""
    parts = [
        "<!doctype html>", '<html lang="en"><meta charset="utf-8">',
        f"<title>{_safe(page.title)}</title>",
        STYLE,
        f"<h1>{_safe(page.title)}</h1>",
        "<ul>", *(f"<li>{_safe(name)}: {_safe(value)}</li>" for name, value in page.settings),
        "</ul>",
    ]  # fmt: skip
    for section in page.sections:
        table = section.table
        parts += [f"<h2>{_safe(section.title)}</h2>", f"<p>{_safe(section.about)}</p>", "<table>"]
        for tag, rows in (("th", [table.header]), ("td", table.rows)):
            for row in rows:
                cells = "".join(f'<{tag} dir="auto">{_safe(cell)}</{tag}>' for cell in row)
                parts.append(f"<tr>{cells}</tr>")
        parts += ["</table>", *(f"<p>{_safe(note)}</p>" for note in table.notes)]
    return "\n".join(parts) + "\n</html>\n"


def _safe(value: str) -> str:
    return escape(one_line(value))
