import pytest

from flexnet.errors import FileFormatError
from flexnet.store import create_file, open_file


def test_a_file_is_opened_only_as_what_it_is(tmp_path):
    path = tmp_path / "a.h5"
    with create_file(path, "kind", 2, {"case": "x"}) as file:
        file["data"] = [1.0, 2.0]
    with open_file(path, "kind", 2) as file:
        assert list(file["data"]) == [1.0, 2.0]
        assert file.attrs["case"] == "x"
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
