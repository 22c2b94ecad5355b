"""``python -m flexnet``: the command line."""

from flexnet.cli.main import main

if __name__ == "__main__":
    main()
