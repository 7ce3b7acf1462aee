"""Debian's Chromium, driven; tests that need it are skipped, with the reason, where it is not."""

import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--disable-dev-shm-usage", "--hide-scrollbars", "--force-device-scale-factor=1"),
    "--lang=en",
)


@contextmanager
def chromium() -> Iterator[Any]:
    """A driven browser without a window; skips the test where there is none."""
    binary = shutil.which("chromium") or shutil.which("chromium-browser")
    driver = shutil.which("chromedriver")
    if not binary or not driver:
        pytest.skip("no chromium and chromedriver here (apt-get install chromium-driver)")
    selenium = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    from selenium.webdriver.chrome.service import Service

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        options = selenium.ChromeOptions()
        options.binary_location = binary
        for flag in (*FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        found = selenium.Chrome(options=options, service=Service(driver))
        try:
            yield found
        finally:
            found.quit()


class Person:
    """Somebody at the keyboard; nothing here touches a mouse."""

    def __init__(self, driver: Any, link: str) -> None:
        self.driver, self.link = driver, link
        self.complaints()  # those of others before

    def goes_to(self, path: str = "") -> None:
        self.driver.get(self.link + path)
        if path.startswith(("item/", "dispute/")):
            self.waits_for("return document.body.dataset.ready === 'yes'")

    def presses(self, *keys: str) -> None:
        """Send keys to whatever has the focus, one after the other."""
        from selenium.webdriver.common.action_chains import ActionChains

        for key in keys:
            ActionChains(self.driver).send_keys(key).perform()

    def submits(self) -> None:
        """Enter, and wait for the page that comes next."""
        from selenium.webdriver.common.keys import Keys

        before = self.driver.execute_script("return performance.timeOrigin")
        self.presses(Keys.ENTER)
        self.waits_for(
            f"return performance.timeOrigin !== {before} && document.readyState === 'complete'"
        )

    def waits_for(self, script: str, seconds: float = 15) -> None:
        from selenium.common.exceptions import WebDriverException

        until = time.monotonic() + seconds
        while time.monotonic() < until:
            try:
                if self.driver.execute_script(script):
                    return
            except WebDriverException:  # the page is just changing
                pass
            time.sleep(0.03)
        raise AssertionError(f"never so: {script}\n{self.says()}")

    def says(self) -> str:
        """The text on the page."""
        return str(self.driver.execute_script("return document.body.innerText"))

    @property
    def path(self) -> str:
        return str(self.driver.current_url).removeprefix(self.link)

    def complaints(self) -> list[str]:
        """What the browser complained of: errors of scripts, refusals of the security policy."""
        return [
            one["message"] for one in self.driver.get_log("browser") if one["level"] == "SEVERE"
        ]

    def photographs(self, path: Path, width: int = 1100, height: int | None = None) -> None:
        """The page as a PNG of `width`, as high as the page unless `height` is given."""
        self.driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {
                "width": width,
                "height": height or 700,
                "deviceScaleFactor": 1,
                "mobile": width < 600,
            },
        )
        time.sleep(0.2)
        if height is None:
            high = self.driver.execute_script("return document.documentElement.scrollHeight")
            self.driver.execute_cdp_cmd(
                "Emulation.setDeviceMetricsOverride",
                {
                    "width": width,
                    "height": int(high),
                    "deviceScaleFactor": 1,
                    "mobile": width < 600,
                },
            )
            time.sleep(0.2)
        self.driver.save_screenshot(str(path))
