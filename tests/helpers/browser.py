"""Headless Chromium, as far as the machine has one."""

import shutil
import time

import pytest

ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def find_chromium():
    """Paths of Chromium and its driver, or a skip that says what is missing."""
    browser = next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
    )
    driver = shutil.which("chromedriver")
    if browser is None or driver is None:
        pytest.skip("needs Chromium and chromedriver; `make browser` installs them")
    return browser, driver


def start_chromium(profile, *, width=1300, height=900):
    """A Selenium driver whose log has the console and all requests.

    Parameters
    ----------
    profile : path-like
        Empty folder for the browser's profile.
    width, height : int
        Of the window.
    """
    webdriver = pytest.importorskip("selenium.webdriver")
    browser, driver = find_chromium()
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for argument in (*ARGUMENTS, f"--user-data-dir={profile}", f"--window-size={width},{height}"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    service = webdriver.ChromeService(executable_path=driver)
    return webdriver.Chrome(options=options, service=service)


def wait_for(condition, seconds=20):
    """The first true value of ``condition()``, or an error after some time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.05)
    raise AssertionError("the condition did not become true in time")
