"""The page about one selection: how long it takes to make, its size, and how it responds.

    python benchmarks/run.py report

Needs Chromium and chromedriver. Responses are measured in two ways: as time of the browser's main
thread, which does not depend on what else the machine does, and on the clock. A step of the slider
includes layout and painting, with the table sorted by coverage, which is the slowest case.
"""

import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest
import selenium.webdriver  # noqa: F401, so that the part is skipped without it

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from graphsieve import Variance
from graphsieve.report import make_report
from tests.helpers.browser import find_chromium, start_chromium

STEP = """
const done = arguments[arguments.length - 1], begin = performance.now();
setK(GRID[arguments[0]]);
requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - begin)));
"""


def rows(sizes=((1000, 2000), (1000, 20_000)), n_steps=20):
    """One row per size (n_samples, n_features)."""
    try:
        find_chromium()
    except pytest.skip.Exception:
        raise ModuleNotFoundError("no Chromium with its driver", name="Chromium") from None
    rng = np.random.default_rng(0)
    for n_samples, n_features in sizes:
        X = rng.normal(size=(n_samples, 30)) @ rng.normal(size=(30, n_features))
        X += 2 * rng.normal(size=X.shape)
        sel = Variance(100).fit(X)
        with tempfile.TemporaryDirectory() as folder:
            begin = time.process_time()
            path = make_report(sel, X).save(Path(folder) / "report.html")
            made = time.process_time() - begin
            size = path.stat().st_size / 1e6
            yield {
                "n_samples": n_samples,
                "n_features": n_features,
                "processor_seconds": made,
                "size_mb": size,
                **respond(path, Path(folder) / "profile", n_steps),
            }


def respond(path, profile, n_steps):
    """Time to the first paint and per step of the slider, in milliseconds."""
    browser = start_chromium(profile)
    try:
        browser.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
        before = main_thread(browser)
        browser.get(path.as_uri())
        time.sleep(2)
        loading = main_thread(browser) - before
        paint = browser.execute_script(
            "return performance.getEntriesByName('first-contentful-paint')[0].startTime"
        )
        browser.execute_script("state.sort = { key: 'coverage', descending: false }")
        before = main_thread(browser)
        steps = [browser.execute_async_script(STEP, 2 * step) for step in range(n_steps)]
        stepping = (main_thread(browser) - before) / n_steps
    finally:
        browser.quit()
    return {
        "load_ms": 1000 * loading,
        "paint_ms": paint,
        "thread_ms_per_step": 1000 * stepping,
        "ms_per_step": float(np.median(steps)),
    }


def main_thread(browser):
    """Seconds of processor time that the main thread of the page has used."""
    metrics = browser.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
    return next(metric["value"] for metric in metrics if metric["name"] == "TaskDuration")
