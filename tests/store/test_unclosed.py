import h5py
import pytest

from flexnet.store.unclosed import UnclosedFile, lookup3


def test_the_checksum_is_that_of_its_author():
    # driver 5 of Jenkins' lookup3.c
    assert lookup3(b"Four score and seven years ago") == 0x17770551


def test_a_closed_or_foreign_file_is_not_an_unclosed_one(tmp_path):
    h5py.File(tmp_path / "a.h5", "w", libver=("v110", "v110")).close()
    (tmp_path / "b.h5").write_bytes(b"")
    for name in ("a.h5", "b.h5"):
        with pytest.raises(ValueError, match="not open for writing"):
            UnclosedFile(tmp_path / name)
