"""Tables in pages: a mark is ``<!-- table: NAME -->``, and the table ends at ``<!-- end -->``."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RECORDS = ROOT / "experiments" / "records"


def markdown(table):
    """A data frame as Markdown."""
    lines = [list(table.columns), ["---"] * len(table.columns), *table.astype(str).to_numpy()]
    return "\n".join("| " + " | ".join(map(str.strip, line)) + " |" for line in lines)


def fill_marks(text, write):
    """A text in which ``write(name)`` replaces every marked table, unless it is None."""

    def fill(mark):
        table = write(mark["name"])
        if table is None:
            return mark[0]
        return f"<!-- table: {mark['name']} -->\n{table}\n<!-- end -->"

    return re.sub(r"<!-- table: (?P<name>\w+) -->\n.*?<!-- end -->", fill, text, flags=re.S)


def write_page(page, write):
    page.write_text(fill_marks(page.read_text("utf-8"), write), "utf-8")
