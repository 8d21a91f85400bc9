"""File formats of the command line."""
