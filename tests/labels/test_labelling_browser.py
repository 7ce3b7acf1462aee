"""Every kind of task in a real browser, by keyboard alone."""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from annotation.labels.kinds import KINDS, check_item
from annotation.labels.people import renew_link
from annotation.labels.project import Project
from annotation.labels.values import Item, Label, Prelabels
from tests.labels.browser import Person, chromium
from tests.labels.sample_items import GREEK, MARKUP, answer, items, review, small
from tests.labels.served import project_of, serving, start

pytestmark = pytest.mark.slow

UP, DOWN, LEFT, RIGHT = "\ue013", "\ue015", "\ue012", "\ue014"
ENTER, ESCAPE, TAB = "\ue007", "\ue00c", "\ue004"


@pytest.fixture(scope="module")
def driver() -> Iterator[Any]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    every = [*items(models=3), review()]
    return project_of(
        tmp_path_factory.mktemp("p") / "p",
        every,
        "ada ben",
        overlap=2,
        order="given",
        verdicts=True,
    )


@pytest.fixture(scope="module")
def ada(project: Project, driver: Any) -> Iterator[Person]:
    with serving(project) as server:
        yield Person(driver, server.links["ada"])


def number_of(kind: str) -> int:
    return list(KINDS).index(kind) + 1


def kept(project: Project, item: str, who: str = "ada") -> Label:
    [label] = project.store.labels(item=item, annotator=who)
    return label


def test_relevance_by_keyboard(ada: Person, project: Project) -> None:
    ada.goes_to(f"item/{number_of('relevance')}")
    ada.presses("1", "3", "1")
    ada.submits()
    assert kept(project, "relevance-1").answer == {"relevant": True, "criteria": ["perspective"]}
    ada.presses("u")
    ada.waits_for("return document.querySelector('#task')?.dataset.kind === 'relevance'")
    ada.waits_for("return document.body.dataset.ready === 'yes'")
    assert not list(project.store.labels(item="relevance-1"))
    ada.presses("0")
    ada.submits()
    assert kept(project, "relevance-1").answer == {"relevant": False, "criteria": []}
    assert ada.complaints() == []


def test_issues_with_cause_and_strategy_by_keyboard(ada: Person, project: Project) -> None:
    ada.goes_to(f"item/{number_of('issues')}")
    ada.presses(" ", RIGHT, " ", "r")  # the first of each list
    ada.presses("o")  # nothing is chosen
    assert "Choose sentences" in ada.says()
    ada.presses(DOWN, DOWN, " ", "o")  # the captain, in the second list alone
    ada.presses(UP, " ", LEFT, DOWN, DOWN, " ", "c")  # nine against fourteen
    ada.presses(ENTER)
    assert "Say the cause" in ada.says()
    ada.presses("1", "s", *"the later one", ESCAPE)
    ada.presses("k", "k", "d")  # the first of them is removed again
    ada.submits()
    answer = kept(project, "issues-1").answer
    assert answer is not None
    assert answer["issues"] == [
        {"kind": "omission", "first": [], "second": [3], "cause": None, "strategy": None},
        {
            "kind": "conflict", "first": [3], "second": [2], "cause": "update",
            "strategy": "the later one",
        },
    ]  # fmt: skip
    assert ada.complaints() == []


@pytest.mark.parametrize(
    ("kind", "key", "answer"),
    [
        ("key-facts", "1", {"key": True}),
        ("fact-support", "0", {"supported": False}),
        ("preference", "0", {"preferred": "tie"}),
    ],
)
def test_one_choice_by_keyboard(
    ada: Person, project: Project, kind: str, key: str, answer: dict[str, Any]
) -> None:
    ada.goes_to(f"item/{number_of(kind)}")
    ada.presses(ENTER)
    assert "Choose an answer first" in ada.says()
    ada.presses(key)
    ada.submits()
    assert answer.items() <= dict(kept(project, f"{kind}-1").answer or {}).items()


def test_matching_by_keyboard(ada: Person, project: Project) -> None:
    ada.goes_to(f"item/{number_of('matching')}")
    ada.presses("4", "4", UP, UP, " ", DOWN, DOWN, DOWN, " ")
    ada.submits()
    assert kept(project, "matching-1").answer == {"sentences": [2, 5]}
    ada.goes_to(f"item/{number_of('matching')}")
    ada.presses("0")
    ada.submits()
    assert kept(project, "matching-1").answer == {"sentences": []}


def test_key_points_and_links_by_keyboard_in_both_directions(ada: Person, project: Project) -> None:
    ada.goes_to(f"item/{number_of('key-points')}")
    ada.presses(DOWN, " ")  # the second Greek sentence as a whole
    ada.presses("t", "e", LEFT, LEFT, " ")  # three Arabic words: in Arabic, left is onward
    ada.presses("t", " ", DOWN, DOWN, " ")  # the first and third sentence of the summary
    ada.presses("k", "1", "l", "2", ENTER)
    ada.presses("j")
    assert "hallucinated" in ada.says()
    ada.submits()
    answer = kept(project, "key-points-1").answer
    assert answer is not None
    assert [one["text"] for one in answer["points"]] == [
        "Επέβαιναν 84 άνθρωποι.",
        "غرقت العبّارة «ألما»",
    ]
    assert GREEK[answer["points"][0]["start"] :].startswith("Επέβαιναν")
    assert [one["text"] for one in answer["told"]][1] == "A storm had raged for hours."
    assert answer["links"] == [[0, 0], [1, 0]]
    ada.goes_to(f"item/{number_of('key-points')}")
    ada.presses("d", DOWN, "d")  # the first sentence has no highlight, the second one has
    ada.submits()
    changed = kept(project, "key-points-1").answer
    assert changed is not None
    assert (len(changed["points"]), changed["links"]) == (1, [[0, 0]])


def test_a_review_by_keyboard(ada: Person, project: Project) -> None:
    ada.goes_to(f"item/{len(KINDS) + 1}")
    ada.presses("y", ENTER)
    assert "every finding" in ada.says()
    ada.presses("m")
    ada.submits()
    assert dict(kept(project, "review-1").answer or {})["reviewed"] == [True, False]


def test_notes_verdicts_and_what_cannot_be_judged_by_keyboard(
    ada: Person, project: Project
) -> None:
    ada.goes_to(f"item/{number_of('key-facts')}")
    ada.presses("v")
    ada.waits_for("return document.body.innerText.includes('model-3')")
    ada.presses("x", *"q w u 1 ?", ESCAPE)
    ada.submits()
    label = kept(project, "key-facts-1")
    assert (label.answer, label.note) == (None, "q w u 1 ?"), "in a note, keys are letters"
    assert label.consulted == ("model-1", "model-2", "model-3")


def test_from_the_link_to_the_first_item_by_keyboard(driver: Any, tmp_path: Path) -> None:
    project = project_of(tmp_path / "p", [small(0)], "ada", overlap=1)
    project.store.connection.execute("UPDATE people SET consent = NULL, introduced = NULL")
    with serving(project) as server:
        ada = Person(driver, server.links["ada"])
        ada.goes_to()
        ada.submits()
        assert ada.path == "consent"
        ada.presses("y")
        ada.waits_for("return location.pathname.includes('/start/')")
        ada.submits()
        ada.waits_for("return document.body.dataset.ready === 'yes'")
        ada.presses("1")
        ada.submits()
        assert "All is done" in ada.says()
    assert kept(project, "item 0").answer == {"supported": True}


def test_pauses_a_model_s_answer_afterwards_and_a_dispute_by_keyboard(
    driver: Any, tmp_path: Path
) -> None:
    given = [replace(small(n), models={"m": {"supported": False}}) for n in range(2)]
    project = project_of(
        tmp_path / "p", given, "ada ben eve", overlap=2, order="given", batch=1, gold_per_batch=0,
        prelabels=Prelabels.AFTER,
    )  # fmt: skip
    with serving(project) as server:
        for who, keys in (("ada", "11"), ("ben", "10")):
            person = Person(driver, server.links[who])
            person.goes_to("next")
            for number, key in enumerate(keys, start=1):
                person.waits_for("return document.body.dataset.ready === 'yes'")
                person.presses(key)
                person.submits()
                assert person.path == f"after/{number}"
                person.submits()
                if number == 1:
                    assert person.path == "pause"
                    person.submits()
        eve = Person(driver, server.links["eve"])
        eve.goes_to()
        eve.submits()
        eve.waits_for("return document.body.dataset.ready === 'yes'")
        assert eve.path == "dispute/2"
        eve.presses("0", "n", *"settled", ESCAPE)
        eve.submits()
        assert "All is done" in eve.says()
        assert eve.complaints() == []
    word = kept(project, "item 1", "eve")
    assert (word.answer, word.note) == ({"supported": False}, "settled")


LAYOUTS: dict[str, Callable[[str], dict[str, Any]]] = {
    "Greek": lambda key: {"key": {"u": "θ", "w": "ς", "1": "1"}[key]},
    "Hebrew": lambda key: {"key": {"u": "ו", "w": "'", "1": "1"}[key]},
    "Arabic": lambda key: {"key": {"u": "ع", "w": "ص", "1": "١"}[key]},
    "French": lambda key: {"key": {"u": "u", "w": "w", "1": "&"}[key]},
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_keys_mean_the_same_on_other_keyboards(driver: Any, tmp_path: Path, layout: str) -> None:
    project = project_of(tmp_path / "p", [small(0), small(1)], "ada", overlap=1, order="given")
    with serving(project) as server:
        ada = Person(driver, server.links["ada"])
        ada.goes_to("item/1")
        for key, path in (("w", "item/2"), ("1", ""), ("u", "")):
            code = {"1": "Digit1"}.get(key, f"Key{key.upper()}")
            said = LAYOUTS[layout](key) | {"code": code, "type": "keyDown"}
            driver.execute_cdp_cmd("Input.dispatchKeyEvent", said)
            if path:
                ada.waits_for(f"return location.pathname.endsWith('{path}')")
                ada.waits_for("return document.body.dataset.ready === 'yes'")
        pressed = driver.find_elements("css selector", ".choice[aria-pressed=true]")
        assert [one.get_attribute("data-value") for one in pressed] == ["yes"]


def test_an_answer_waits_for_a_server_that_is_away_and_is_kept_once(
    driver: Any, tmp_path: Path
) -> None:
    project = project_of(tmp_path / "p", [small(0)], "ada", overlap=1)
    server = start(project)
    port = int(server.address.rpartition(":")[2])
    ada = Person(driver, server.links["ada"])
    ada.goes_to("item/1")
    server.kill()
    ada.presses("1", ENTER)
    ada.waits_for("return document.body.innerText.includes('does not answer')")
    time.sleep(0.5)
    again = start(project, port)
    try:
        ada.waits_for("return document.body.innerText.includes('All is done')", 30)
    finally:
        again.kill()
    assert [one.answer for one in project.store.labels(counting=False)] == [{"supported": True}]


def test_a_link_that_was_renewed_is_said_and_the_answer_stays(driver: Any, tmp_path: Path) -> None:
    project = project_of(tmp_path / "p", [small(0)], "ada", overlap=1)
    with serving(project) as server:
        ada = Person(driver, server.links["ada"])
        ada.goes_to("item/1")
        renew_link(project, "ada")
        ada.presses("1", ENTER)
        ada.waits_for("return document.body.innerText.includes('link been renewed')")
        assert driver.find_elements("css selector", ".choice[aria-pressed=true]")
    assert not list(project.store.labels(counting=False))


def test_a_draft_outlives_a_closed_page(driver: Any, tmp_path: Path) -> None:
    project = project_of(
        tmp_path / "p", [one for one in items() if one.kind == "issues"], "ada", overlap=1
    )
    with serving(project) as server:
        ada = Person(driver, server.links["ada"])
        ada.goes_to("item/1")
        ada.presses(" ", RIGHT, " ", "r")
        ada.goes_to("mine")
        ada.goes_to("item/1")
        assert "not kept yet" in ada.says()
        ada.submits()
        ada.goes_to("item/1")
        assert "not kept yet" not in ada.says()
    [mark] = dict(kept(project, "issues-1").answer or {})["issues"]
    assert (mark["first"], mark["second"]) == ([1], [1])


def test_the_second_of_two_tabs_is_told_and_may_replace(driver: Any, tmp_path: Path) -> None:
    project = project_of(tmp_path / "p", [small(0), small(1)], "ada", overlap=1, order="given")
    with serving(project) as server:
        ada = Person(driver, server.links["ada"])
        ada.goes_to("item/1")
        first = driver.current_window_handle
        driver.switch_to.new_window("tab")
        ada.goes_to("item/1")
        ada.presses("1")
        ada.submits()
        driver.close()
        driver.switch_to.window(first)
        ada.presses("0")
        ada.submits()  # the page is shown again, with what is kept and what was sent
        ada.waits_for("return document.body.dataset.ready === 'yes'")
        assert "answered on another page" in ada.says()
        assert kept(project, "item 0").answer == {"supported": True}
        ada.submits()
        assert kept(project, "item 0").answer == {"supported": False}


def test_markup_never_runs(driver: Any, tmp_path: Path) -> None:
    hostile = [
        check_item(
            Item(
                id="x", kind="key-points", event="e",
                payload={
                    "documents": [{"text": MARKUP, "title": MARKUP}],
                    "summary": {"text": MARKUP},
                },
                models={MARKUP: {}, "b": {}, "c": {}},
            )
        )
    ]  # fmt: skip
    project = project_of(tmp_path / "p", hostile, "ada", overlap=1, verdicts=True, title="Study")
    with serving(project) as server:
        ada = Person(driver, server.links["ada"])
        ada.goes_to("item/1")
        ada.presses(" ", "t", " ", "1", "v")
        ada.waits_for("return document.body.innerText.includes('no key point')")
        assert driver.title == "Study"
        assert "<script>" in ada.says()
        assert driver.execute_script("return document.images.length") == 0
        ada.submits()
        assert ada.complaints() == []
    points = dict(kept(project, "x").answer or {})["points"]
    assert points[0]["text"] in MARKUP


CANARY = (
    "</title></textarea></script><script>window.hit=1</script><img src=x onerror=window.hit=1>"
    '<svg onload=window.hit=1> " autofocus onfocus="window.hit=1" x=" \' onclick=\'window.hit=1\' '
    "<a href='javascript:window.hit=1'>x</a> {{ 7*7 }} javascript:window.hit=1 \u202e\u2066 \0"
)


def poisoned(value: Any, key: str = "") -> Any:
    """`value` with `CANARY` for every text but the names of kinds and causes."""
    if isinstance(value, str):
        return value if key in {"kind", "cause", "of"} else CANARY
    if isinstance(value, dict):
        return {name: poisoned(one, name) for name, one in value.items()}
    return [poisoned(one, key) for one in value] if isinstance(value, list | tuple) else value


def test_no_field_of_any_kind_runs_as_script(driver: Any, tmp_path: Path) -> None:
    given = [
        replace(
            item,
            id=f"{number} {CANARY}",
            payload=poisoned(item.payload),
            # Highlights of models name texts that are not there any more.
            models={} if item.kind == "key-points" else {CANARY: answer(item.kind)},
            event=CANARY,
            languages=(),
        )
        for number, item in enumerate(items())
    ]
    title = CANARY.replace("\0", "")
    project = project_of(
        tmp_path / "p", map(check_item, given), "ada", overlap=1, title=title, consent=title,
        prelabels=Prelabels.FIRST,
    )  # fmt: skip
    with serving(project) as server:
        ada = Person(driver, server.links["ada"])
        ada.complaints()
        paths = ["", "mine", "consent", "pause"]
        for path in [*paths, *(f"item/{n}" for n in range(1, len(given) + 1)), "mine"]:
            ada.goes_to(path)
            ada.presses("n", *"<b>", ESCAPE) if path.startswith("item") else None
            assert driver.execute_script("return window.hit") is None
            made = (
                "main img, main svg, main script, main b, [onclick], [onfocus], a[href^=javascript]"
            )
            assert driver.execute_script(f"return document.querySelectorAll('{made}').length") == 0
        assert ada.complaints() == [], "not even the browser had anything to refuse"


def test_a_list_tells_a_screen_reader_where_one_is(ada: Person, driver: Any) -> None:
    at = "return document.activeElement.getAttribute('aria-activedescendant')"
    ada.goes_to(f"item/{number_of('issues')}")
    while driver.execute_script("return document.activeElement.role") != "listbox":
        ada.presses(TAB)
    assert driver.execute_script("return document.activeElement.ariaLabel") == "first list"
    ada.presses(DOWN, " ")
    assert driver.execute_script(at) == "first-2"
    ada.presses(RIGHT)
    assert driver.execute_script(at) == "second-1"
    rows = "document.querySelectorAll('[role=option][aria-selected=true]')"
    chosen = f"return [...{rows}].map((one) => one.id)"
    assert driver.execute_script(chosen) == ["first-2"]
    ada.presses(LEFT, " ")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_has_a_serious_fault_of_accessibility(
    ada: Person, driver: Any, scheme: str
) -> None:
    try:
        carried = resources.files("axe_playwright_python")
    except ModuleNotFoundError:
        pytest.skip("no axe-core here (pip install --no-deps axe-playwright-python)")
    script = carried.joinpath("axe.min.js").read_text(encoding="utf-8")
    media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    found = {}
    pages = [f"item/{n}" for n in range(1, len(KINDS) + 2)]
    for path in [*pages, "", "mine", "consent", "pause", "start/issues", "nothing"]:
        ada.goes_to(path)
        driver.execute_cdp_cmd("Runtime.evaluate", {"expression": script})
        faults = "(r) => r.violations.map((v) => [v.impact, v.id, v.nodes[0].html])"
        run = f"axe.run(document).then({faults})"
        told = driver.execute_cdp_cmd(
            "Runtime.evaluate", {"expression": run, "awaitPromise": True, "returnByValue": True}
        )
        if told["result"]["value"]:
            found[path] = told["result"]["value"]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    ada.complaints()
    assert found == {}


def test_nothing_runs_out_of_a_phone(ada: Person, driver: Any) -> None:
    for number in range(1, len(KINDS) + 2):
        ada.goes_to(f"item/{number}")
        driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": 360, "height": 740, "deviceScaleFactor": 1, "mobile": True},
        )
        wide = driver.execute_script("return document.documentElement.scrollWidth")
        keep = driver.execute_script(
            "return document.getElementById('keep').getBoundingClientRect().bottom"
        )
        driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        assert wide <= 360, number
        assert keep <= 740, "the answer can be kept without scrolling"
