"""The page holds all it needs, and shows what the tables say."""

import shutil
import subprocess
from html.parser import HTMLParser

import pytest
from PIL import Image
from typer.testing import CliRunner

from experiments.claims import OPEN, check
from experiments.command import app
from experiments.report import write_report
from experiments.report.markdown import claims_text
from experiments.report.page import about, summarise
from experiments.runner import run
from experiments.store import read_tables

# One process runs the experiments for all tests.
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("page of the paper")]

METHODS = ["gafs", "lap_score", "rsr", "variance", "random"]


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """A few cells of every experiment, on data that are always there."""
    folder = tmp_path_factory.mktemp("results")
    run("comparison", folder, datasets=["wine", "breast_cancer"], methods=METHODS)
    methods = ["gafs", "css", "pfa", "random"]
    run("quality", folder, datasets=["wine", "iris"], methods=methods, n_splits=2)
    run("sensitivity_hidden", folder, datasets=["wine"])
    run("sensitivity_penalties", folder, datasets=["wine"])
    run("convergence", folder, datasets=["wine"])
    run("training_time", folder, datasets=["wine"])
    sizes = ["planted_40x30", "planted_80x30", "planted_40x60"]
    run("complexity", folder, datasets=sizes)
    return folder


@pytest.fixture(scope="module")
def page(results, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "report.html"
    write_report(read_tables(results), path, path.parent / "figures")
    return path


class Links(HTMLParser):
    def __init__(self):
        super().__init__()
        self.links, self.tags, self.ids = [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.links += [value for name, value in attrs if name in ("src", "href", "srcset")]
        self.ids += [value for name, value in attrs if name == "id"]


def test_page_refers_to_nothing_outside(page):
    text = page.read_text("utf-8")
    parser = Links()
    parser.feed(text)
    assert parser.links
    for link in parser.links:
        assert link.startswith("data:") or link.removeprefix("#") in parser.ids
    assert not {"script", "iframe", "object"} & set(parser.tags)
    assert "url(" not in text
    assert "@import" not in text


def test_every_figure_is_also_a_file(page):
    names = {path.name for path in (page.parent / "figures").iterdir()}
    assert {name.removesuffix(".png") for name in names if name.endswith(".png")} == {
        name.removesuffix(".svg") for name in names if name.endswith(".svg")
    }
    for expected in (
        "comparison-oracle-acc-wine.svg",
        "comparison-fixed-accuracy-wine.png",
        "quality-ranks-defaults-nmi.png",
        "sensitivity-hidden-wine.svg",
        "sensitivity-penalties-wine.svg",
        "convergence-wine.svg",
        "training-time-accuracy.svg",
        "complexity-against-d.svg",
    ):
        assert expected in names


def test_pictures_have_few_colours_on_white(page):
    picture = Image.open(page.parent / "figures" / "convergence-wine.png")
    assert picture.mode == "P"
    assert picture.convert("RGB").getpixel((0, 0)) == (255, 255, 255)


def test_verdicts_and_the_name_of_the_rule_are_on_the_page(page, results):
    text = page.read_text("utf-8")
    assert "(oracle)" in text
    assert "every method at one fixed setting" in text
    assert "Choices where the paper is silent" in text
    n_claims = sum(map(len, check(read_tables(results)).values()))
    assert text.count('class="claim ') == n_claims > 10


def test_report_shows_failed_cells(results, tmp_path):
    tables = read_tables(results)
    table = tables["convergence"].copy()
    table.loc[table["setting"] == 1, ["status", "error"]] = ["failed", "broken"]
    write_report({"convergence": table}, tmp_path / "page.html", tmp_path / "figures")
    assert "1 of them failed" in (tmp_path / "page.html").read_text("utf-8")


@pytest.mark.parametrize("n_cells", [1, 2, 4])
def test_summary_of_a_run_that_was_stopped(results, n_cells):
    tables = {}
    for name, table in read_tables(results).items():
        first = table["key"].unique()[:n_cells]
        tables[name] = table[table["key"].isin(first)]
    assert len(summarise(tables)["sections"]) == len(tables)


def test_summary_without_gafs(results):
    tables = read_tables(results)
    for name in ("comparison", "quality", "sensitivity_hidden", "sensitivity_penalties"):
        tables[name] = tables[name][tables[name]["method"] != "gafs"]
    verdicts = {claim["verdict"] for claim in summarise(tables)["sections"][0]["claims"]}
    assert verdicts == {OPEN}


def test_command_writes_the_page(results, tmp_path):
    shutil.copy(results / "convergence.parquet", tmp_path)
    page = tmp_path / "r.html"
    done = CliRunner().invoke(app, ["report", str(tmp_path), "-o", str(page)])
    assert done.exit_code == 0, done.output
    assert "Convergence of GAFS" in page.read_text("utf-8")
    assert (tmp_path / "r-figures" / "convergence-wine.png").exists()


def test_command_without_results(tmp_path):
    done = CliRunner().invoke(app, ["report", str(tmp_path), "-o", str(tmp_path / "r.html")])
    assert done.exit_code == 1
    assert "holds no results" in done.output
    assert not (tmp_path / "r.html").exists()


def test_browser_shows_the_page_without_errors(page, tmp_path):
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("needs Chromium")
    picture = tmp_path / "page.png"
    flags = ["headless", "no-sandbox", "disable-gpu", "no-first-run", "disable-sync"]
    flags += ["disable-background-networking", "disable-component-update"]
    flags += ["enable-logging=stderr", "window-size=390,2000", f"screenshot={picture}"]
    flags += [f"user-data-dir={tmp_path / 'profile'}"]
    command = [browser, *(f"--{flag}" for flag in flags), page.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert picture.exists(), done.stderr
    assert "CONSOLE" not in done.stderr


def test_comparison_alone_has_its_own_title_and_figures(results, tmp_path):
    table = read_tables(results)["quality"]
    write_report({"quality": table}, tmp_path / "page.html", tmp_path / "figures")
    text = (tmp_path / "page.html").read_text("utf-8")
    assert "<title>Quality of the selected features at the defaults</title>" in text
    assert "GAFS paper" not in text
    assert "the paper is silent" not in text
    assert (tmp_path / "figures" / "quality-curves-accuracy-wine.png").exists()


def test_one_data_set_has_figures_too(results):
    table = read_tables(results)["quality"]
    table = table[table["dataset"] == "wine"]
    groups = summarise({"quality": table})["sections"][0]["groups"]
    assert sum(len(group["figures"]) for group in groups) >= 3


def test_quality_shows_ranks_gains_and_wins(results):
    summary = summarise({"quality": read_tables(results)["quality"]})
    assert summary["title"] == "Quality of the selected features at the defaults"
    (section,) = summary["sections"]
    titles = [table["title"] for table in section["tables"]]
    assert titles[:3] == [
        "Mean ranks",
        "Mean scores",
        "Data sets won, tied and lost against random",
    ]
    assert "Reconstruction error at the defaults" in titles
    names = [entry["name"] for group in section["groups"] for entry in group["figures"]]
    assert {"gains-accuracy", "gains-neighborhood", "curves-nmi-wine"} <= set(names)


@pytest.mark.usefixtures("real_data")
def test_fseval_stands_next_to_the_published_methods(tmp_path):
    run("fseval", tmp_path, profile="medium", datasets=["yale"], methods=["variance", "random"])
    (section,) = summarise({"fseval": read_tables(tmp_path)["fseval"]})["sections"]
    table = section["tables"][0]
    assert table["columns"] == ["method", "mean rank", "mean", "yale"]
    scores = {row[0]["text"]: row[3]["text"] for row in table["rows"]}
    assert scores["LIDFS (fseval)"] == "0.622"
    # Our random selection is theirs, up to chance.
    assert abs(float(scores["random"]) - 0.654) < 0.1


def test_numbers_of_splits_that_differ(results):
    table = read_tables(results)["quality"]
    assert "2 data sets, 2 splits" in about(table)
    table = table[(table["dataset"] == "wine") | (table["split"] == 0)]
    assert "2 data sets (2 splits of wine; 1 split of iris), " in about(table)


def test_table_of_an_unknown_experiment_is_shown(results):
    table = read_tables(results)["quality"]
    (section,) = summarise({"mine": table})["sections"]
    assert section["title"] == "mine"
    assert section["tables"]


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("quality", "share"),
        ("comparison", "acc"),
        ("comparison", "nmi"),
        ("sensitivity_penalties", "acc"),
        ("convergence", "objective"),
        ("training_time", "accuracy"),
    ],
)
def test_missing_column_is_named(results, name, column):
    table = read_tables(results)[name].drop(columns=column)
    with pytest.raises(ValueError, match=f"the table of {name} has no column {column}"):
        summarise({name: table})


def test_missing_column_is_named_in_the_claims(results):
    table = read_tables(results)["comparison"].drop(columns="acc")
    with pytest.raises(ValueError, match="the table of comparison has no column acc"):
        claims_text({"comparison": table})
