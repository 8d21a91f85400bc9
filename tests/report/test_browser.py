"""The page in a browser: it works, loads nothing, and everybody can use it."""

import csv
import json
import re
from importlib.resources import files

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

from graphsieve import GAFS, DropRedundant, GraphSieve, GreedyCSS
from graphsieve.inspection import representatives

from ..helpers.browser import start_chromium, wait_for
from .conftest import ODD_NAMES

Keys = pytest.importorskip("selenium.webdriver.common.keys").Keys
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browser")]


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    folder = tmp_path_factory.mktemp("browser")
    driver = start_chromium(folder / "profile")
    driver.downloads = folder / "downloads"
    driver.execute_cdp_cmd(
        "Browser.setDownloadBehavior",
        {"behavior": "allow", "downloadPath": str(driver.downloads)},
    )
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def digits_page(digits, tmp_path_factory):
    sel, X, options = digits
    return sel.report(X, **options).save(tmp_path_factory.mktemp("digits") / "report.html")


@pytest.fixture
def page(browser, digits_page):
    """The report of the digits, freshly loaded."""
    show(browser, digits_page)
    return browser


def show(browser, path):
    for log in ("browser", "performance"):
        browser.get_log(log)
    browser.get(path.as_uri())
    wait_for(lambda: browser.execute_script("return !!document.querySelector('#curve svg')"))


def find(browser, selector):
    return browser.find_element("css selector", selector)


def find_all(browser, selector):
    return browser.find_elements("css selector", selector)


def texts(browser, selector):
    script = "return [...document.querySelectorAll(arguments[0])].map((e) => e.textContent)"
    return browser.execute_script(script, selector)


def console_errors(browser):
    return [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]


def requested(browser):
    """Addresses of everything that was asked for since the page was opened."""
    for entry in browser.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            yield message["params"]["request"]["url"]


def step_to(browser, step):
    browser.execute_script(
        "const s = document.getElementById('slider'); s.value = arguments[0];"
        "s.dispatchEvent(new Event('input', { bubbles: true }))",
        step,
    )
    wait_for(lambda: browser.execute_script("return now.k === GRID[arguments[0]]", step))


def test_loads_nothing_and_says_nothing(page, digits_page):
    step_to(page, 30)
    assert not console_errors(page)
    outside = [url for url in requested(page) if not url.startswith(("data:", "blob:"))]
    assert outside == [digits_page.as_uri()]


def test_slider_changes_everything(page):
    def shown():
        return {
            "tiles": texts(page, "#tiles"),
            "curve": page.execute_script(
                "return document.querySelector('#curve circle.now').getAttribute('cx')"
            ),
            "kept": texts(page, "#status"),
            "names": texts(page, "#kept-names"),
            "points": page.execute_script(
                "return document.querySelector('#after .dot').getAttribute('transform')"
            ),
            "groups": texts(page, "#groups-about"),
            "image": page.execute_script(
                "return document.querySelector('#examples tr:last-child canvas').toDataURL()"
            ),
            "mask": page.execute_script(
                "return document.querySelector('#mask canvas').toDataURL()"
            ),
            "histogram": page.execute_script(
                "return document.querySelector('#histogram svg').getAttribute('aria-label')"
            ),
            "map": page.execute_script("return document.querySelector('#map canvas').width"),
            "pairs": texts(page, "#pairs"),
        }

    before = shown()
    step_to(page, 29)
    after = shown()
    assert "30 kept" in after["kept"][0]
    for part in before:
        assert before[part] != after[part], part


def test_worst_predicted_features_are_dropped_ones(page):
    shown = texts(page, "#worst bdi")
    assert len(shown) == 5
    kept = page.execute_script("return report.order.slice(0, now.k)")
    assert not {f"x{j}" for j in kept} & set(shown)
    step_to(page, page.execute_script("return GRID.length - 1"))
    assert not find(page, "#worst-part").is_displayed()


def test_slider_can_be_moved_by_keys(page):
    find(page, "#slider").send_keys(Keys.ARROW_RIGHT)
    wait_for(lambda: page.execute_script("return now.k") == 13)
    assert find(page, "#slider").get_attribute("aria-valuetext") == "13 features"
    number = find(page, "#number")
    assert number.get_attribute("value") == "13"
    number.send_keys(Keys.CONTROL, "a")
    number.send_keys("21")
    wait_for(lambda: page.execute_script("return now.k") == 21)


def test_the_slider_shows_where_the_order_is_an_estimate(browser, page, tmp_path, rng):
    assert not find_all(page, "#estimated")
    X = rng.normal(size=(1000, 40)) @ rng.normal(size=(40, 2000)) + rng.normal(size=(1000, 2000))
    sel = GraphSieve(20, random_state=0).fit(X)
    show(browser, sel.report(X).save(tmp_path / "wide.html"))
    assert (
        f"Beyond {sel.n_exact_} features, the order is an estimate"
        in texts(browser, "#estimated")[0]
    )
    seen = {}
    for number in (sel.n_exact_, sel.n_exact_ + 1):
        browser.execute_script("setK(arguments[0])", number)
        wait_for(lambda number=number: browser.execute_script("return now.k") == number)
        slider = find(browser, "#slider")
        color = slider.value_of_css_property("accent-color")
        seen[number] = color, slider.get_attribute("aria-valuetext")
    exact, beyond = seen.values()
    assert exact[0] != beyond[0]
    assert [text.endswith("order estimated") for _, text in (exact, beyond)] == [False, True]
    dashed = browser.execute_script(
        "return document.querySelector('#curve path.estimated').getTotalLength()"
    )
    assert dashed > 50


def test_table_equals_the_ranking(page, digits):
    sel, _, _ = digits
    names = texts(page, "#table tbody th.name bdi")
    assert names[:10] == [f"x{j}" for j in sel.order_[:10]]
    kept = page.execute_script("return document.querySelectorAll('#table tr.kept').length")
    assert kept == 12


def test_sort(page):
    find(page, "#table th.coverage button").click()
    assert find(page, "#table th.coverage").get_attribute("aria-sort") == "ascending"
    # Constant features have no coverage and come first.
    shown = texts(page, "#table tbody tr:not(.space) td.coverage .figure")
    shown = [float(text.removesuffix("%")) for text in shown if "%" in text]
    assert shown == sorted(shown)
    find(page, "#table th.coverage button").click()
    assert find(page, "#table th.coverage").get_attribute("aria-sort") == "descending"
    find(page, "#table th.name button").click()
    assert texts(page, "#table tbody th.name bdi")[:3] == ["x0", "x1", "x2"]


def test_search_and_filter(page):
    find(page, "#search").send_keys("X4")
    names = texts(page, "#table tbody th.name bdi")
    assert sorted(names) == sorted(["x4", *(f"x4{i}" for i in range(10))])
    assert "11 of 64" in texts(page, "#status")[0]
    find(page, "#search").send_keys("nothing")
    assert "No feature matches" in find(page, "#table").text
    find(page, "#search").send_keys(Keys.CONTROL, "a")
    find(page, "#search").send_keys(Keys.DELETE)
    find(page, "[data-show=dropped]").click()
    assert "52 of 64" in texts(page, "#status")[0]


def test_rows_follow_scrolling(page):
    page.execute_script("document.getElementById('rows').scrollTop = 1e6")
    wait_for(lambda: texts(page, "#table tbody td.rank")[-1] == "64")
    rows = page.execute_script("return document.querySelectorAll('#table tbody tr').length")
    assert rows < 40


def test_detail_of_a_feature(page):
    page.execute_script("document.querySelectorAll('#table button.name')[14].click()")
    assert "Rank 15 of 64, dropped" in find(page, "#detail").text
    assert find(page, "#detail svg").get_attribute("aria-label").startswith("Coverage of x")


def test_stands_for_is_the_same_in_the_table_and_the_cards(browser, tmp_path, rng):
    """A column that is close to no kept one counts for none: those of the terminal, too."""
    X = rng.normal(size=(60, 4)) @ rng.normal(size=(4, 12)) + rng.normal(size=(60, 12))
    X[:, 9:] = rng.normal(size=(60, 3))
    sel = GreedyCSS(3).fit(X)
    position, correlation = representatives(sel, X).at(3)
    is_close = ~sel.support_ & (abs(correlation) >= 0.5)
    assert 0 < is_close.sum() < 9
    counts = np.bincount(position[is_close], minlength=3)
    show(browser, sel.report(X).save(tmp_path / "page.html"))
    expected = [f"{n} dropped" if n else "only itself" for n in counts]
    shown = texts(browser, "#table td.stands")
    assert shown[:3] == expected
    cards = sorted(texts(browser, "#groups .size"), reverse=True)
    assert cards == [f"+ {n}" for n in sorted(counts, reverse=True) if n]
    for j, text in zip(sel.order_[3:], shown[3:], strict=True):
        start = "← x" if is_close[j] else "none; closest x"
        assert text == f"{start}{sel.order_[position[j]]} (r = {correlation[j]:.2f})"
    assert texts(browser, "#table td.adds")[0] == f"{sel.report(X).summary['adds'][0]:.1%}"


def test_a_page_with_a_promise(browser, tmp_path):
    X = load_breast_cancer(as_frame=True).data
    sel = DropRedundant(0.9).fit(X)
    show(browser, sel.report(X).save(tmp_path / "page.html"))
    assert not console_errors(browser)
    assert not find_all(browser, "#to-suggested")
    n = sel.n_features_
    find(browser, "[data-show=dropped]").click()
    shown = texts(browser, "#table td.promised")
    dropped = sel.order_[n:]
    assert shown == [f"{sel.r2_[j]:.0%}".replace("100%", "> 99%") for j in dropped][: len(shown)]
    worst = min(dropped, key=lambda j: sel.heldout_r2_[j])
    assert texts(browser, "#worst .r")[0] == f"{sel.r2_[worst]:.0%}, {sel.heldout_r2_[worst]:.0%}"
    browser.execute_script("setK(arguments[0])", n - 1)
    wait_for(lambda: set(texts(browser, "#table td.promised")) == {"\u2013"})
    assert "%, " not in texts(browser, "#worst .r")[0]


def test_a_phone_shows_what_stands_for_what(page):
    size = {"width": 390, "height": 800, "deviceScaleFactor": 1, "mobile": True}
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        page.refresh()
        wait_for(lambda: find_all(page, "#table .under"))
        assert re.fullmatch(r"stands for (\d+ dropped|only itself)", find(page, ".under").text)
        rows = find_all(page, "#table tbody tr:not(.space)")
        heights = {round(row.size["height"]) for row in rows}
        assert heights == {page.execute_script("return rowHeight()")}
        assert "tap" in find(page, "#map-readout").text
    finally:
        page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_the_names_of_the_kept_are_whole(page):
    step_to(page, 49)
    shown = texts(page, ".kept-names")[0]
    assert "…" not in shown
    assert shown.startswith("Kept, best first: x")
    step_to(page, page.execute_script("return GRID.length - 1"))
    page.execute_script("shown.forEach((_, j) => { shown[j] = `a long name ${j}`; }); update()")
    assert re.search(r" and \d+ more, in the table\.$", texts(page, ".kept-names")[0])
    line = find(page, ".kept-names")
    script = "return arguments[0].scrollHeight - arguments[0].clientHeight"
    assert page.execute_script(script, line) <= 0


def test_copy(page, digits):
    sel, _, _ = digits
    page.execute_cdp_cmd(
        "Browser.grantPermissions",
        {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]},
    )
    find(page, "#copy").click()
    wait_for(lambda: "Copied" in texts(page, "#status")[0])
    copied = page.execute_async_script(
        "navigator.clipboard.readText().then(arguments[0], (e) => arguments[0](String(e)))"
    )
    assert copied.split("\n") == [f"x{j}" for j in sel.order_[:12]]


def test_downloads_and_odd_names(browser, odd, tmp_path):
    sel, X, options = odd
    show(browser, sel.report(X, **options).save(tmp_path / "odd.html"))
    assert not console_errors(browser)
    assert browser.execute_script("return document.querySelectorAll('img').length") == 0
    shown = texts(browser, "#table tbody th.name bdi")
    assert "<img src=x onerror=alert(1)>" in shown
    assert "</script><script>alert(2)</script>" in shown
    assert "␛[31mred␛[0m" in shown
    assert "nul␀nul" in shown
    assert texts(browser, "h1") == [options["title"]]
    for name in ("csv", "json"):
        find(browser, f"#{name}").click()
    files = browser.downloads / "features.csv", browser.downloads / "selection.json"
    wait_for(lambda: all(file.exists() for file in files))
    with files[0].open(newline="", encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    # A lone surrogate is no text: files have the replacement character in its place.
    expected = {name.replace("\ud800", "\ufffd") for name in ODD_NAMES}
    assert {row["feature"] for row in table} == expected
    assert [row["kept"] for row in table] == ["true"] * 4 + ["false"] * 8
    kept = json.loads(files[1].read_text())["kept"]
    assert kept == [X.columns[j] for j in sel.order_[:4]]


def test_dark_and_light(page):
    def background():
        return page.execute_script("return getComputedStyle(document.body).backgroundColor")

    light = background()
    find(page, "#theme").click()
    assert background() != light
    find(page, "#theme").click()
    assert background() == light


@pytest.mark.parametrize("width", [360, 768, 1300])
def test_nothing_sticks_out(page, width):
    size = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 600}
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        page.refresh()
        wait_for(lambda: page.execute_script("return !!document.querySelector('#curve svg')"))
        wide = page.execute_script("return document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0
    finally:
        page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_names_and_ticks_are_readable(browser, tmp_path):
    X = load_breast_cancer(as_frame=True).data
    show(browser, GAFS(5, random_state=0).fit(X).report(X).save(tmp_path / "cancer.html"))
    cut = browser.execute_script(
        "return [...document.querySelectorAll('#table th.name, #table td.stands')]"
        ".filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.textContent)"
    )
    assert cut == []
    assert len(find_all(browser, "#trace line.grid")) >= 2


@pytest.fixture(scope="session")
def axe():
    """The source of axe-core, which a package of the extra `dev` carries."""
    return files(pytest.importorskip("axe_core_python")).joinpath("axe.min.js").read_text("utf-8")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_serious_accessibility_faults(page, axe, theme):
    page.execute_script("setTheme(arguments[0])", theme)
    find_all(page, "#table button.name")[0].click()
    for details in find_all(page, "details"):
        page.execute_script("arguments[0].open = true", details)
    page.execute_script(axe)
    result = page.execute_async_script("axe.run(document).then(arguments[arguments.length - 1])")
    serious = [
        (fault["id"], fault["impact"], [node["html"][:120] for node in fault["nodes"]][:3])
        for fault in result["violations"]
        if fault["impact"] in ("serious", "critical")
    ]
    assert not serious
