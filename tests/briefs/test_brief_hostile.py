"""Every form of a brief, with hostile text in every field."""

import re
from pathlib import Path
from typing import Any

import pytest

from baselines.briefs import brief_of
from globesumm.report.briefs import Block, blocks, markdown, text, write_docx, write_page
from globesumm.report.briefs.spans import block, own, refs, said
from globesumm.runs import Run
from tests.labels.browser import chromium
from tests.report.made_run import full_run
from tests.report.test_report_browser import CANARY, faults, see

MARKUP = (
    "# h\n- item\n1. one\n> quote\n[x](http://outside.example) ![i](http://outside.example/i.png) "
    "<http://outside.example> http://outside.example www.outside.example `code` ~~s~~ | a | "
    "<img src=x> &lt;b&gt; $x$ [1]: http://outside.example {{7*7}} \\[esc] =cmd() \x1b[31m"
)


def made(folder: Path, told: str | None) -> list[Block]:
    run: Run = full_run(folder / "run", told, events=1)
    (event,) = run.events()
    summary = next(one for one in run.summaries() if one.event == event.id)
    return blocks(brief_of(run, event, summary))


def test_markdown_makes_nothing_of_outside_text_but_text(tmp_path: Path) -> None:
    parser = pytest.importorskip("markdown_it", reason="needs the extra 'test'")
    shown = markdown(made(tmp_path, MARKUP))
    tokens = parser.MarkdownIt("gfm-like", {"html": True, "linkify": False}).parse(shown)
    every = [inner for one in tokens for inner in (one, *(one.children or ()))]
    kinds = {one.type for one in every}
    assert not kinds & {"image", "html_inline", "html_block", "code_inline", "blockquote_open",
                        "table_open", "s_open", "ordered_list_open", "em_open"}  # fmt: skip
    links = {one.attrs["href"] for one in every if one.type == "link_open"}
    assert links == {f"https://outlet.example/{code}" for code in ("he", "ar", "en", "zh")}


def test_text_holds_nothing_that_steers_a_terminal(tmp_path: Path) -> None:
    shown = text(made(tmp_path, MARKUP + CANARY))
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", shown)


def test_docx_takes_any_text_and_links_to_nothing_but_the_sources(tmp_path: Path) -> None:
    docx = pytest.importorskip("docx", reason="needs the extra 'docx'")
    path = tmp_path / "brief.docx"
    write_docx(made(tmp_path, MARKUP + CANARY), path)
    document: Any = docx.Document(str(path))
    links = {one.address for para in document.paragraphs for one in para.hyperlinks}
    assert links == {f"https://outlet.example/{code}" for code in ("he", "ar", "en", "zh")}
    assert "<w:fldSimple" not in document.element.xml
    assert "<w:instrText" not in document.element.xml


def test_in_docx_a_text_from_right_to_left_takes_no_sign_or_number_beside_it_with_it(
    tmp_path: Path,
) -> None:
    docx = pytest.importorskip("docx", reason="needs the extra 'docx'")
    arabic, unknown = said("قتل ثلاثة.", "ar"), said("מבט 7.", "")
    told = (arabic, unknown, said("七人死亡。", "zh"))
    write_docx(
        [
            block("title", own("t")),
            *(block("item", own("A1. "), one, refs([6, 8])) for one in told),
        ],
        tmp_path / "brief.docx",
    )
    document: Any = docx.Document(str(tmp_path / "brief.docx"))
    texts = [one.text for one in document.paragraphs][1:]
    right, left = "\u200f", "\u200e"
    assert texts == [
        f"A1. {right}{arabic.text}{right}{left}[6, 8]",
        f"A1. {right}{unknown.text}{right}{left}[6, 8]",
        "A1. 七人死亡。[6, 8]",
    ]
    assert 'w:eastAsia="zh"' in document.element.xml


def test_the_page_is_sound_and_asks_for_nothing_whatever_is_in_it(tmp_path: Path) -> None:
    hostile, plain = tmp_path / "hostile.html", tmp_path / "plain.html"
    write_page(made(tmp_path / "a", CANARY), hostile)
    write_page(made(tmp_path / "b", None), plain)
    with chromium() as driver:
        driver.execute_cdp_cmd("Network.enable", {})
        driver.get(hostile.as_uri())
        assert driver.execute_script("return window.canary") is None
        asked = "return performance.getEntriesByType('resource').map(one => one.name)"
        assert driver.execute_script(asked) == []
        assert driver.get_log("browser") == []
        for width, scheme in ((1280, "light"), (390, "dark")):
            see(driver, width, scheme)
            driver.get(plain.as_uri())
            assert driver.execute_script("return document.documentElement.scrollWidth") == width
            assert faults(driver) == []
