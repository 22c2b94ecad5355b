"""The front door changes on purpose only, and type checkers see it."""

from tests.package.public_api import RECORD, STUB, record, stub


def test_what_the_package_offers_is_what_is_written_down():
    """A name or argument that goes breaks somebody's case; one that comes is kept for years."""
    assert record().splitlines() == RECORD.read_text().splitlines(), (
        "meant? then: make stubs, and a line in the changelog"
    )


def test_type_checkers_see_every_lazy_name():
    assert stub().splitlines() == STUB.read_text().splitlines(), "make stubs writes it"
