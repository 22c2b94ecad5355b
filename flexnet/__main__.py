"""The command, and ``python -m flexnet``: it can be stopped before the first library is loaded."""

import signal

from flexnet.cli.interruption import stoppable
from flexnet.patience import ENDINGS


def main() -> None:
    """Run the command; once it has said its last word, nothing more is interrupted."""
    try:
        with stoppable():
            from flexnet.cli import main as command

            command.main()
    finally:
        for number in ENDINGS:
            signal.signal(number, signal.SIG_IGN)


if __name__ == "__main__":
    main()
