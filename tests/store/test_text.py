import h5py
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flexnet.store.text import fixed_text, plain_value

letters = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)


@given(letters, st.lists(letters, min_size=1, max_size=4))
def test_text_of_fixed_length_is_read_as_it_was_written(text, texts):
    with h5py.File("memory", "w", driver="core", backing_store=False, libver=("v110", "v110")) as file:
        file.attrs["one"], file.attrs["many"] = fixed_text(text), fixed_text(texts)
        file["one"] = fixed_text(text)
        assert plain_value(file.attrs["one"]) == text
        assert plain_value(file.attrs["many"]) == tuple(texts)
        assert file["one"].asstr()[()] == text


@pytest.mark.parametrize(("text", "cut"), [("abc", "abc"), ("éé", "é"), ("", "")])
def test_a_reserved_length_cuts_at_a_whole_character(text, cut):
    assert fixed_text(text, 3).dtype.itemsize == 3
    assert plain_value(fixed_text(text, 3).item()) == cut
