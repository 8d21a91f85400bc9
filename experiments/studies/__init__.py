"""Studies of quality that are run again when the methods change; see ``experiments/records``."""
