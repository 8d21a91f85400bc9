"""The claims of the paper with numbers, intervals and verdicts, as Markdown."""

from pathlib import Path

from graphsieve._utils.files import replacing

from ..analysis import finished, mean_ranks, under_both_rules
from ..claims import CLAIMS, check
from ..spec import load_experiment
from .page import about, check_tables
from .parts import SHORT, settings_table


def write_claims(tables, output):
    """Write the claims that can be judged from the tables to a Markdown file.

    If it exists and has the lines ``<!-- claims -->`` and ``<!-- end of the claims -->``, only the
    text between them is replaced. In the same way, the table of verdicts alone goes between
    ``<!-- verdicts -->`` and ``<!-- end of the verdicts -->``.
    """
    output = Path(output)
    page = output.read_text("utf-8") if output.exists() else ""
    text = None
    for name, write in {"claims": claims_text, "verdicts": verdicts_text}.items():
        before, begin, rest = page.partition(f"<!-- {name} -->\n")
        _, end, after = rest.partition(f"<!-- end of the {name} -->\n")
        if begin and end:
            text = f"{before}{begin}\n{write(tables)}\n{end}{after}"
    with replacing(output) as temporary:
        temporary.write_text(claims_text(tables) if text is None else text, encoding="utf-8")


def verdicts_text(tables):
    """Markdown table of the verdicts."""
    return "\n".join(_verdicts(_judged(tables))) + "\n"


def claims_text(tables):
    """Markdown text of the claims: one table of verdicts, then the numbers by experiment."""
    claims = _judged(tables)
    lines = _verdicts(claims)
    for name, group in claims.items():
        lines += ["", f"## {load_experiment(name).title}", "", about(tables[name])]
        for claim in group:
            lines += ["", f"**{claim.text}** {claim.verdict.capitalize()}. {claim.evidence}"]
            lines += _table(claim.table)
        if name == "comparison":
            table = finished(tables[name])
            lines += ["", *_ranks(table), *_settings(table)]
    return "\n".join(lines) + "\n"


def _judged(tables):
    judged = {name: tables[name] for name in CLAIMS if name in tables}
    check_tables(judged)
    return check(judged)


def _verdicts(claims):
    return ["| claim | verdict | number and 95 % interval |", "|---|---|---|"] + [
        f"| {claim.text.rstrip('.')} | {claim.verdict} | {claim.estimate} |"
        for group in claims.values()
        for claim in group
    ]


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
