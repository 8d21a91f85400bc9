"""``python -m graphsieve``: the command line."""

from .cli import main

main()
