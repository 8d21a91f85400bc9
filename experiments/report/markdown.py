"""The claims of the paper with numbers, intervals and verdicts, as Markdown."""

from pathlib import Path

from graphsieve._utils.files import replacing

from ..analysis import finished, mean_ranks, under_both_rules
from ..claims import CLAIMS, check
from ..spec import load_experiment
from .page import about, check_tables
from .parts import SHORT, settings_table

# In a page that has these two lines, the claims go between them.
_BEGIN, _END = "<!-- claims -->\n", "<!-- end of the claims -->\n"


def write_claims(tables, output):
    """Write the claims that can be judged from the tables to a Markdown file.

    If it exists and has the lines ``<!-- claims -->`` and ``<!-- end of the claims -->``, only the
    text between them is replaced.
    """
    output = Path(output)
    text = claims_text(tables)
    page = output.read_text("utf-8") if output.exists() else ""
    before, begin, rest = page.partition(_BEGIN)
    _, end, after = rest.partition(_END)
    if begin and end:
        text = f"{before}{begin}\n{text}\n{end}{after}"
    with replacing(output) as temporary:
        temporary.write_text(text, encoding="utf-8")


def claims_text(tables):
    """Markdown text of the claims: one table of verdicts, then the numbers by experiment."""
    judged = {name: tables[name] for name in CLAIMS if name in tables}
    check_tables(judged)
    claims = check(judged)
    lines = ["| claim | verdict | number and 95 % interval |", "|---|---|---|"]
    lines += [
        f"| {claim.text.rstrip('.')} | {claim.verdict} | {claim.estimate} |"
        for group in claims.values()
        for claim in group
    ]
    for name, group in claims.items():
        lines += ["", f"## {load_experiment(name).title}", "", about(tables[name])]
        for claim in group:
            lines += ["", f"**{claim.text}** {claim.verdict.capitalize()}. {claim.evidence}"]
            lines += _table(claim.table)
        if name == "comparison":
            table = finished(tables[name])
            lines += ["", *_ranks(table), *_settings(table)]
    return "\n".join(lines) + "\n"


def _table(rows):
    """Lines of a table, after an empty one; the first row has the names of the columns."""
    if not rows:
        return []
    first, *rest = ["| " + " | ".join(row) + " |" for row in rows]
    return ["", first, "|---" * len(rows[0]) + "|", *rest]


def _ranks(table):
    """Mean ranks under both rules."""
    ranked = {
        f"{SHORT[score]}, {rule.split()[0]}": mean_ranks(rows, score)
        for rule, by_score in under_both_rules(table).items()
        for score, rows in by_score.items()
    }
    if None in ranked.values():
        return []
    methods = list(next(iter(ranked.values()))[0])
    lines = [
        "| mean rank | " + " | ".join(methods) + " | Friedman's p |",
        "|---" * (len(methods) + 2) + "|",
    ]
    for label, (ranks, _, p_value) in ranked.items():
        numbers = [f"{ranks[method]:.1f}" if method in ranks else "" for method in methods]
        lines.append(f"| {label} | " + " | ".join(numbers) + f" | {p_value:.2g} |")
    difference = next(iter(ranked.values()))[1]
    return [
        *lines,
        "",
        f"Two methods differ significantly (Nemenyi, 5 %) by {difference:.1f} ranks.",
    ]


def _settings(table):
    """How much the setting of a method matters."""
    found = settings_table(table)
    rows = [[cell["text"] for cell in row] for row in found["rows"]]
    return [*_table([found["columns"], *rows]), "", found["note"]] if rows else []
