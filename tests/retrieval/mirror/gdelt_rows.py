"""Rows for GDELT's three products: real ones, or made up in the same columns."""

from functools import cache
from pathlib import Path

COLUMNS = {"export": 61, "mentions": 16, "gkg": 27}
_FILES = {"export": "events", "mentions": "mentions", "gkg": "gkg"}
_URL = {"export": 60, "mentions": 5, "gkg": 4}


@cache
def real_rows(data: Path, stream: str, product: str) -> list[list[str]]:
    """The sample's rows of 2020 (those of 2015 carry no titles) that name a web page."""
    name = f"{_FILES[product]}{'' if stream == 'english' else 'T'}.csv"
    content = (data / "gdelt" / "rows" / name).read_bytes().decode()
    rows = [line.split("\t") for line in content.removesuffix("\n").split("\n")]
    return [row for row in rows[len(rows) // 2 :] if row[_URL[product]].startswith("http")]


def made_up(stream: str, product: str, number: int) -> list[str]:
    """A row with the fields that a reader of addresses wants, the others empty."""
    row = [""] * COLUMNS[product]
    row[_URL[product]] = f"https://paper{number % 7}.example/news/story-{number}"
    translation = "" if stream == "english" else "srclc:fra;eng:Moses 2.1.1 / GT-FRA 1.0"
    match product:
        case "export":
            row[1:5] = ["20230501", "202305", "2023", "2023.3288"]
            row[25:35] = ["1", "042", "042", "04", "1", "1.9", "3", "1", "3", "-2.5"]
        case "mentions":
            row[1:5] = ["20230501000000", "20230501000000", "1", f"paper{number % 7}.example"]
            row[6:14] = ["1", "-1", "12", "40", "1", "50", "2100", "-2.5"]
            row[14] = translation
        case _:
            row[2:4] = ["1", f"paper{number % 7}.example"]
            row[15] = "-2.5,1.0,3.5,4.5,20.1,0.0,312"
            row[17] = "wc:312,c12.1:20"
            row[25] = translation
            title = f"L&#x2019;&#xE9;v&#xE9;nement {number}" if translation else f"Story {number}"
            row[26] = (
                "<PAGE_PRECISEPUBTIMESTAMP>20230430234500</PAGE_PRECISEPUBTIMESTAMP>"
                f"<PAGE_TITLE>{title}</PAGE_TITLE>"
            )
    return row


def own_row(
    template: list[str],
    product: str,
    stamp: str,
    number: int,
    url: str | None,
    *,
    translated: bool,
) -> list[str]:
    """`template` as a row of the slot `stamp`: its stamp, record number and address."""
    row = list(template)
    place = _URL[product]
    joint = "&" if "?" in row[place] else "?"
    row[place] = url or f"{row[place]}{joint}seen={stamp}-{number}{'T' if translated else ''}"
    match product:
        case "export":
            row[0], row[59] = f"{int(stamp[2:12])}{number:04d}", stamp
        case "mentions":
            row[0], row[2] = f"{int(stamp[2:12])}{number:04d}", stamp
        case _:
            row[0] = f"{stamp}-{'T' if translated else ''}{number}"
            row[1] = stamp
    return row
