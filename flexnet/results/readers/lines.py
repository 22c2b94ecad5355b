"""Lines of a text file from outside: numbered, decoded strictly, bounded in length."""

from collections.abc import Iterator
from pathlib import Path

from flexnet.errors import FileFormatError
from flexnet.validation import existing_file

LONGEST_LINE = 1 << 22  # bytes


def check_file(path: Path) -> None:
    """Check that there is a file and something in it.

    Raises
    ------
    FileFormatError
        If the path is missing, is a folder, cannot be read, or the file is empty.
    """
    existing_file(path, FileFormatError)
    try:
        with path.open("rb") as file:
            if not file.read(1):
                raise FileFormatError(f"{path}: is empty")
    except OSError as error:
        raise FileFormatError(f"{path}: cannot be read ({error.strerror})") from error


def numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a UTF-8 file with their numbers, from 1, without line ends.

    Raises
    ------
    FileFormatError
        If a line is not UTF-8 text, or is longer than any table has.
    """
    check_file(path)
    with path.open("rb") as file:
        number = 0
        while raw := file.readline(LONGEST_LINE):
            number += 1
            if len(raw) == LONGEST_LINE:
                raise FileFormatError(f"{path}, line {number}: longer than {LONGEST_LINE} bytes; not a table")
            try:
                text = raw.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                raise FileFormatError(f"{path}, line {number}: not UTF-8 text ({error.reason})") from error
            if "\0" in text:
                raise FileFormatError(f"{path}, line {number}: holds binary data, not text")
            yield number, text.rstrip("\r\n")
