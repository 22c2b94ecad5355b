"""How much a channel may differ from its reference."""

from dataclasses import dataclass

from flexnet.errors import ResultError

MEASURES = {
    "peak": "largest difference over the reference's peak",
    "rms": "RMS difference over the reference's peak",
    "max": "largest difference, in the reference's unit",
}


@dataclass(frozen=True, slots=True)
class Tolerance:
    """A limit on one measure of difference.

    Parameters
    ----------
    value : the limit.
    measure : one of :data:`MEASURES`.
    """

    value: float
    measure: str = "peak"

    def __post_init__(self) -> None:
        if self.measure not in MEASURES:
            raise ResultError(f"tolerance measure {self.measure!r} is not one of {', '.join(MEASURES)}")
        if not 0.0 <= self.value < float("inf"):
            raise ResultError(f"tolerance {self.value} is not a positive number")

    def __str__(self) -> str:
        return f"{self.value:g}" if self.measure == "max" else f"{100.0 * self.value:g} % {self.measure}"


def parse_tolerance(text: str) -> tuple[str, Tolerance]:
    """Read ``[channel=]value[%][:measure]``; the channel is empty where the limit is for all.

    Raises
    ------
    ResultError
        If it is not of that form.
    """
    channel, _, limit = text.rpartition("=")
    number, _, measure = limit.partition(":")
    try:
        value = float(number.strip().removesuffix("%")) * (0.01 if number.strip().endswith("%") else 1.0)
    except ValueError:
        raise ResultError(
            f"tolerance {text!r} is not of the form [channel=]value[%][:peak|rms|max]"
        ) from None
    return channel, Tolerance(value, measure.strip() or "peak")
