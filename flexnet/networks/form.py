"""Linear forms: numbers times named quantities, as the topological equations make them.

A key is a kind and a number: ``w`` an unknown, ``x`` a state, ``u`` and ``du`` a drive and its rate, ``z`` an
algebraic state, ``n`` what a nonlinear law gives, ``1`` the number one.
"""

from collections.abc import Iterable

Key = tuple[str, int]
Form = dict[Key, float]
ONE: Key = ("1", 0)


def total(parts: Iterable[tuple[float, Form]]) -> Form:
    """Sum of forms, each times a number; what cancels is left out."""
    out: Form = {}
    for factor, form in parts:
        for key, value in form.items():
            out[key] = out.get(key, 0.0) + factor * value
    return {key: value for key, value in out.items() if value}


def replaced(form: Form, by: dict[Key, Form]) -> Form:
    """A form with forms in the place of some of its keys."""
    if not any(key in by for key in form):
        return form
    return total((value, by[key]) if key in by else (value, {key: 1.0}) for key, value in form.items())


def of_kind(form: Form, kind: str) -> list[int]:
    """Numbers of the keys of a kind."""
    return [i for k, i in form if k == kind]
