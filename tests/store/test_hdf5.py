from io import BytesIO

import pytest

from flexnet.errors import FileFormatError
from flexnet.store import create_file, open_file, plain_value


def test_a_file_is_opened_only_as_what_it_is(tmp_path):
    path = tmp_path / "a.h5"
    memory = BytesIO()
    with create_file(memory, "kind", 2, {"case": "x"}) as file:
        file["data"] = [1.0, 2.0]
    path.write_bytes(memory.getvalue())
    with open_file(path, "kind", 2) as file:
        assert list(file["data"]) == [1.0, 2.0]
        assert plain_value(file.attrs["case"]) == "x"
    with pytest.raises(FileFormatError, match="expected 'other'"), open_file(path, "other", 2):
        pass
    with pytest.raises(FileFormatError, match="reads 1 to 1"), open_file(path, "kind", 1):
        pass


def test_a_missing_truncated_or_foreign_file_is_named(tmp_path):
    with pytest.raises(FileFormatError, match="no such file"), open_file(tmp_path / "none.h5", "kind", 1):
        pass
    foreign = tmp_path / "foreign.h5"
    foreign.write_text("not HDF5")
    with pytest.raises(FileFormatError, match=r"foreign\.h5"), open_file(foreign, "kind", 1):
        pass


def test_no_text_is_kept_where_a_damaged_byte_can_hang_the_reader(tmp_path):
    path = tmp_path / "a.h5"
    memory = BytesIO()
    with create_file(memory, "kind", 2, {"case": "é", "names": ("a", "bcd")}):
        pass
    path.write_bytes(memory.getvalue())
    with open_file(path, "kind", 2) as file:
        assert plain_value(file.attrs["case"]) == "é"
        assert plain_value(file.attrs["names"]) == ("a", "bcd")
        lengths = [file.attrs.get_id(name).dtype for name in file.attrs]
    assert not any(dtype.hasobject for dtype in lengths)
    assert b"GCOL" not in path.read_bytes()  # the heap of texts of variable length
