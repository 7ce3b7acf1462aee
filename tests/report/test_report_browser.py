"""The report in a real browser: accessibility, no request outside, keyboard, size, hostile data."""

import os
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from globesumm.report import write_report
from tests.labels.browser import chromium
from tests.report.made_run import full_run, many

CANARY = (
    "<script>window.canary=1</script><img src=x onerror=window.canary=1>"
    "<svg onload=window.canary=1>\"'--></style></title><style>*{display:none}</style>"
    "<a href=javascript:window.canary=1 autofocus onfocus=window.canary=1>{{ 7*7 }}{% raw %}"
    "<iframe src=https://outside.example></iframe><meta http-equiv=refresh content=0>\u202e\x00"
    "\ud800"
    "</template></details></table>]]><link rel=stylesheet href=//outside.example/x.css>"
)


@pytest.fixture(scope="module")
def driver() -> Iterator[Any]:
    with chromium() as found:
        found.execute_cdp_cmd("Network.enable", {})
        yield found


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_report(full_run(tmp_path_factory.mktemp("full") / "run", events=5))


def axe() -> str:
    """axe-core, as a package for Python carries it."""
    try:
        folder = resources.files("axe_playwright_python")
    except ModuleNotFoundError:
        pytest.skip("no axe-core here (pip install --no-deps axe-playwright-python)")
    return folder.joinpath("axe.min.js").read_text(encoding="utf-8")


def see(driver: Any, width: int, scheme: str) -> None:
    media = [{"name": "prefers-color-scheme", "value": scheme}]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": media})
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


def faults(driver: Any, rules: Sequence[str] = ()) -> list[Any]:
    """What axe calls serious or critical, with all parts open; by `rules` alone where given."""
    driver.execute_cdp_cmd("Page.setBypassCSP", {"enabled": True})  # axe is no script of the page
    driver.execute_script("document.querySelectorAll('details').forEach(one => one.open = true)")
    driver.execute_script(axe())
    driver.set_script_timeout(120)
    options = {"resultTypes": ["violations"]} | ({"runOnly": list(rules)} if rules else {})
    found = driver.execute_async_script(
        "const done = arguments[1]; axe.run(document, arguments[0]).then(held =>"
        "done(held.violations.map(v => [v.impact, v.id, v.nodes.slice(0, 3).map(n => n.html)])))",
        options,
    )
    driver.execute_cdp_cmd("Page.setBypassCSP", {"enabled": False})
    return [one for one in found if one[0] in {"serious", "critical"}]


@pytest.mark.slow
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_axe_finds_no_serious_fault(driver: Any, page: Path, width: int, scheme: str) -> None:
    see(driver, width, scheme)
    driver.get(page.as_uri())
    assert faults(driver) == []
    assert driver.execute_script("return document.documentElement.scrollWidth") == width


def test_axe_sees_a_fault_that_is_put_there(driver: Any, page: Path) -> None:
    see(driver, 1280, "light")
    driver.get(page.as_uri())
    driver.execute_script("document.querySelector('main').append(document.createElement('img'))")
    assert [one[1] for one in faults(driver, ["image-alt"])] == ["image-alt"]


def test_no_page_asks_for_anything_and_hostile_text_stays_text(driver: Any, tmp_path: Path) -> None:
    run = full_run(tmp_path / "run", CANARY, events=2)
    (run.folder / "bias" / "report-<img src=x onerror=window.canary=1>.csv").write_text("x")
    report = write_report(run)
    driver.get("about:blank")
    driver.get_log("browser")
    driver.execute_cdp_cmd("Network.clearBrowserCache", {})
    driver.get(report.as_uri())
    driver.execute_script("document.querySelectorAll('details').forEach(one => one.open = true)")
    driver.execute_script("document.querySelectorAll('.cite').forEach(one => one.click())")
    asked = driver.execute_script(
        "return performance.getEntriesByType('resource').map(r => r.name)"
    )
    assert asked == []
    assert driver.get_log("browser") == []
    assert driver.execute_script("return window.canary") is None
    assert driver.current_url == report.as_uri()
    assert driver.execute_script(
        "return document.querySelectorAll('img, iframe, link, form, object, embed, base,"
        " script:not(body > script), [onerror], [onload], [onfocus], [style]').length"
    ) == 0  # fmt: skip
    said = driver.execute_script("return document.querySelector('main').textContent")
    assert said.count("<script>window.canary=1</script>") > 30
    assert "{{ 7*7 }}" in said


def test_the_policy_stops_a_script_that_is_not_the_pages_own(driver: Any, page: Path) -> None:
    driver.get(page.as_uri())
    driver.execute_script(
        "const one = document.createElement('script'); one.textContent = 'window.canary = 1';"
        "document.body.append(one)"
    )
    assert driver.execute_script("return window.canary") is None
    assert any("Content Security Policy" in one["message"] for one in driver.get_log("browser"))


def press(driver: Any, *keys: str) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    ActionChains(driver).send_keys(*keys).perform()


def test_a_column_is_sorted_from_the_keyboard_and_says_so(driver: Any, page: Path) -> None:
    from selenium.webdriver.common.keys import Keys

    driver.get(page.as_uri())
    find = (
        "const table = document.querySelector('#all-events'), head = table.tHead.rows[0].cells[0];"
    )
    driver.execute_script(find + "head.querySelector('button').focus()")
    orders = []
    for _ in range(2):
        press(driver, Keys.ENTER)
        orders.append(
            driver.execute_script(
                find + "return [head.getAttribute('aria-sort'),"
                "[...table.tBodies[0].rows].map(row => row.cells[0].textContent)]"
            )
        )
    assert orders == [
        ["descending", ["5", "4", "3", "2", "1"]],
        ["ascending", ["1", "2", "3", "4", "5"]],
    ]


def test_what_is_behind_a_sentence_shows_on_focus_and_goes_with_escape(
    driver: Any, page: Path
) -> None:
    from selenium.webdriver.common.keys import Keys

    see(driver, 1280, "light")
    driver.get(page.as_uri() + "#event-1")
    driver.execute_script("document.querySelector('#event-1 .cite').focus()")
    state = (
        "const line = document.querySelector('#event-1 .cite').closest('.line');"
        "return [getComputedStyle(line.querySelector('.panel')).display,"
        " line.querySelector('.cite').getAttribute('aria-expanded')]"
    )
    assert driver.execute_script(state) == ["block", "true"]
    press(driver, Keys.ESCAPE)
    assert driver.execute_script(state) == ["none", "false"]
    press(driver, Keys.ENTER)
    assert driver.execute_script(state) == ["block", "true"]


def test_a_link_opens_what_it_leads_to_and_paper_shows_everything(driver: Any, page: Path) -> None:
    driver.get(page.as_uri())
    is_open = "return document.getElementById('event-3').open"
    assert driver.execute_script(is_open) is False
    driver.execute_script("document.querySelector('a[href=\"#event-3\"]').click()")
    time.sleep(0.1)
    assert driver.execute_script(is_open) is True
    driver.execute_script("dispatchEvent(new Event('beforeprint'))")
    closed = "return document.querySelectorAll('details:not([open])').length"
    assert driver.execute_script(closed) == 0
    driver.execute_script("dispatchEvent(new Event('afterprint'))")
    assert driver.execute_script(closed) > 0


def test_right_to_left_sentences_are_set_so(driver: Any, page: Path) -> None:
    driver.get(page.as_uri())
    directions = driver.execute_script(
        "return [...document.querySelectorAll('[lang=he], [lang=ar]')]"
        ".map(one => getComputedStyle(one).direction)"
    )
    assert set(directions) == {"rtl"}


def opened(driver: Any, report: Path) -> float:
    """Processor seconds of the browser until a page is loaded and painted; 0.0 without /proc.

    What else the machine does takes no part in them, as it does in the time that passes.
    """
    driver.get("about:blank")
    begun = sum(map(processor_seconds, processes(driver)))
    driver.get(report.as_uri())
    driver.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
    return sum(map(processor_seconds, processes(driver))) - begun


def processes(driver: Any) -> list[Path]:
    """The driver's and the browser's processes, in /proc; none where that is not."""
    parents, found = {driver.service.process.pid}, []
    held = [path for path in Path("/proc").glob("[0-9]*") if (path / "smaps_rollup").is_file()]
    for path in sorted(held, key=lambda one: int(one.name)):  # children come after their parents
        with suppress(OSError):  # it has just ended
            parent = int((path / "stat").read_text().rpartition(")")[2].split()[1])
            if parent in parents:
                parents.add(int(path.name))
                found.append(path)
    return found


def processor_seconds(process: Path) -> float:
    """In user and system mode, of all its threads."""
    with suppress(OSError):
        fields = (process / "stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")
    return 0.0


def renderers(driver: Any) -> list[int]:
    """MB that each of the browser's page processes has to itself."""
    found = []
    for path in processes(driver):
        with suppress(OSError):
            if "--type=renderer" in (path / "cmdline").read_text():
                rolled = (path / "smaps_rollup").read_text()
                private = re.findall(r"^Private_(?:Clean|Dirty): +(\d+)", rolled, re.MULTILINE)
                found.append(sum(map(int, private)) // 1024)
    return found


@pytest.mark.slow
def test_a_thousand_events_open_quickly_in_little_memory(tmp_path: Path) -> None:
    report = write_report(many(tmp_path / "run", 1000))
    # A browser of its own: what other pages left behind is not this page's memory.
    with chromium() as driver:
        see(driver, 1280, "light")
        assert min(opened(driver, report) for _ in range(2)) < 3
        assert driver.execute_script("return document.querySelectorAll('*').length") < 20_000
        time.sleep(1)
        held = renderers(driver)
        assert held or not Path("/proc").is_dir()
        assert max(held, default=0) < 200
        driver.execute_script(
            "const box = document.querySelector('.filter input'); box.value = '999';"
            "box.dispatchEvent(new Event('input'))"
        )
        status = "return document.querySelector('.filter [role=status]').textContent"
        assert driver.execute_script(status) == "1 of 1000 events"
        driver.execute_script("document.querySelector('#all-events tr:not([hidden]) a').click()")
        from selenium.webdriver.support.wait import WebDriverWait

        WebDriverWait(driver, 60).until(lambda seen: "Event 999" in seen.title)
        assert driver.current_url.endswith("/report/event-0999.html")
