"""Ordinary tables with planted groups: how many groups do the first columns represent?

    python -m experiments.studies.ordinary_tables --measure

`experiments.planted_tables` generates them. With k groups, the first k columns are looked at. The
tests use the kinds in the first part of the table; those in the second part were written
afterwards. The second table is what ``n_features_to_select="auto"`` chooses. Without --measure, the
tables are written into experiments/records/ordinary_tables.md from the stored numbers.
"""

import argparse
import warnings

import numpy as np
import pandas as pd

from experiments import planted_tables
from experiments.planted_tables import KINDS, OTHERS, covered, n_dimensions
from experiments.provenance import provenance
from experiments.studies.tables import RECORDS, markdown, write_page
from graphsieve.methods import REGISTRY

PAGE = RECORDS / "ordinary_tables.md"
OUT = RECORDS / "quality" / "ordinary_tables.csv"
METHODS = ("sieve", "gafs", "css", "mrsf", "lap_score", "variance", "random")
SEEDS = range(100, 112)


def coverage(kind, make):
    """Fraction of the groups that each method represents, by seed."""
    for seed in SEEDS:
        X, group = make(np.random.default_rng(seed))
        n_first = n_dimensions(kind, group)
        for name in METHODS:
            selector = REGISTRY[name](n_first)
            if "random_state" in selector.get_params():
                selector.set_params(random_state=seed)
            value = covered(selector.fit(X).order_, group, n_first)
            yield {"kind": kind, "seed": seed, "method": name, "value": value}


def noise(rng):
    return rng.normal(size=(300, 30)), np.full(30, -1)


def chosen():
    """Number of features that "auto" keeps, and those of them that are no noise, by seed."""
    kinds = {"mixed": planted_tables.mixed, "batches": planted_tables.batches}
    for kind, make in (kinds | {"needles": planted_tables.needles, "noise": noise}).items():
        for seed in SEEDS:
            X, group = make(np.random.default_rng(seed))
            kept = REGISTRY["sieve"]("auto").fit(X).get_support(indices=True)
            yield {"kind": kind, "seed": seed, "method": "auto", "value": len(kept)}
            yield {"kind": kind, "seed": seed, "method": "found", "value": (group[kept] >= 0).sum()}


def coverage_table():
    table = pd.read_csv(OUT).query("method in @METHODS")
    means = table.pivot_table(index="kind", columns="method", values="value")[list(METHODS)]
    parts = [means.loc[list(kinds)] for kinds in (KINDS, OTHERS)]
    titles = ["**mean, used in tests**", "**mean, written afterwards**"]
    for part, title in zip(parts, titles, strict=True):
        part.loc[title] = part.mean()
    shown = pd.concat(parts).map("{:.2f}".format)
    shown.index = shown.index.str.replace("_", " ")
    return shown.rename_axis("table").rename(columns="`{}`".format).reset_index()


def chosen_table():
    table = pd.read_csv(OUT).query("method == ['auto', 'found']")
    found = table.groupby(["kind", "method"])["value"].agg(["mean", "min", "max"]).unstack()
    wanted = {"mixed": 6, "batches": 4, "needles": 20, "noise": 1}
    rows = []
    for kind, number in wanted.items():
        low, high = found.loc[kind, [("min", "auto"), ("max", "auto")]].astype(int)
        rows.append(
            {
                "table": kind,
                "wanted": number,
                "features kept": f"{found.loc[kind, ('mean', 'auto')]:.1f} ({low} to {high})",
                "of these no noise": f"{found.loc[kind, ('mean', 'found')]:.1f}",
            }
        )
    return pd.DataFrame(rows)


def write(name):
    """The table of a mark, as Markdown."""
    return markdown({"coverage": coverage_table, "chosen": chosen_table}[name]())


def measure():
    warnings.simplefilter("ignore")
    rows = [row for kind, make in (KINDS | OTHERS).items() for row in coverage(kind, make)]
    table = pd.DataFrame([*rows, *chosen()]).assign(commit=provenance()["commit"])
    table.to_csv(OUT, index=False, float_format="%.4g")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--measure", action="store_true")
    if parser.parse_args().measure:
        measure()
    write_page(PAGE, write)


if __name__ == "__main__":
    main()
