"""The functions of a DAE, and what each of them receives first, as one record for a compiled loop."""

from typing import Any, NamedTuple


class Functions(NamedTuple):
    """Functions of :class:`~flexnet.dae.Dae` with its counting and its symmetries, then their models.

    A loop receives them one by one, because Python can hand them over only so, and makes the record itself.
    """

    residual: Any
    matrices: Any
    compose: Any
    rates: Any
    power: Any
    energy: Any
    count: Any  # of Counting
    momenta: Any  # of Symmetry
    follow: Any  # rates of Symmetry
    model: Any
    kept: Any  # model of Symmetry
    counted: Any  # model of Counting
    work: Any
