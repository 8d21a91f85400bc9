"""``python -m experiments``."""

import signal
import sys


def main():
    """Run the command."""
    # A terminated run cleans up like an interrupted one: no half-written file stays behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        from .command import NAME, app

        app(prog_name=NAME)
    except ModuleNotFoundError as error:
        sys.exit(
            f"the experiments need {error.name}, which is not installed. In a clone of the "
            'repository, run: pip install -e ".[experiments]"'
        )


if __name__ == "__main__":
    main()
