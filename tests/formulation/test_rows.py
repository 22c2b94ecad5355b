"""Rows as families are the rows written out by hand; their wrench is ∂Φ and their bias what is left of Φ̈."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation as Rot

from flexnet.algebra import FamilyTable
from flexnet.algebra.language import functions
from flexnet.components import Frame
from flexnet.components.row import Row
from flexnet.components.row_formulas import (
    along,
    angle_row,
    displacement_row,
    orientation_rows,
    perpendicular_row,
)
from flexnet.components.time_function import ramp
from flexnet.errors import ModelError
from flexnet.formulation.row_programs import row_family, row_programs
from tests.formulation import written_rows as hand

U = np.array([2.0, -1.0, 2.0]) / 3.0
V = np.array([1.0, 2.0, 0.0]) / np.sqrt(5.0)
X, Y, Z = np.eye(3)
F = ramp(1.0)

ROWS = {
    "along": (displacement_row(U), lambda m: hand.along(m, U)),
    "along an axis": (displacement_row(Y), lambda m: hand.along(m, Y)),
    "driven along": (displacement_row(U, F), lambda m: hand.along(m, U)),
    "perpendicular": (perpendicular_row(U, V, Z), lambda m: hand.perpendicular(m, U, V)),
    "perpendicular axes": (perpendicular_row(X, Z, Y), lambda m: hand.perpendicular(m, X, Z)),
    "turned": (angle_row(Z, F), lambda m: hand.turned(m, X, Y, X)),
    **{f"oriented {j}": (orientation_rows()[j], lambda m, j=j: hand.oriented(m, j, X)) for j in range(3)},
    **{
        f"driven orientation {j}": (orientation_rows(U, F)[j], lambda m, j=j: hand.oriented(m, j, U))
        for j in range(3)
    },
}


def frame(C):
    return Frame("b.f", "b", np.zeros(3), C)


def motion(rng, has_function):
    vectors = iter(rng.normal(size=(8, 3)))
    R_A = Rot.random(1, rng).as_matrix()[0]
    R_B = R_A @ Rot.from_rotvec(rng.uniform(-0.8, 0.8, 3)).as_matrix()  # well below half a turn
    f = tuple(rng.uniform(-0.8, 0.8, 3)) if has_function else (0.0, 0.0, 0.0)
    A = (next(vectors), R_A, next(vectors), next(vectors), next(vectors), next(vectors))
    return hand.Motion(*A, next(vectors), R_B, next(vectors), next(vectors), rng.normal(size=3),
                       rng.normal(size=3), f)  # fmt: skip


def evaluate(row, m, C_A, C_B):
    """What the family of a row says, with Φ̈ put together as the kernels do."""
    key, numbers = row_family(row, frame(C_A), frame(C_B))
    value, bias = row_programs(*key)
    run = functions([value, bias])
    p, none, R0 = np.array([*numbers, 0.0]), np.zeros(3), np.zeros(9)
    R_A, R_B = (m.R_A @ C_A.T).ravel(), (m.R_B @ C_B.T).ravel()
    out, left = np.zeros(11), np.zeros(1)
    run["row"](p, m.p_A, R_A, m.p_B, R_B, none, R0, none, R0, m.f[0], 0.0, 0.0, out)
    run["bias"](p, m.p_A, R_A, m.v_A, m.w_A, m.p_B, R_B, m.v_B, m.w_B, *[none, R0, none, none] * 2,
                m.f[0], m.f[1], 0.0, 0.0, left)  # fmt: skip
    phi, by_f, F, tail, head = out[0], out[1], out[2:5], out[5:8], out[8:11]
    second = F @ (m.a_B - m.a_A) + tail @ m.dw_A + head @ m.dw_B + by_f * m.f[2] + left[0]
    return phi, by_f, F, tail, head, second


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("seed", range(4))
def test_a_family_is_the_row_written_out(name, seed):
    row, written = ROWS[name]
    rng = np.random.default_rng(seed)
    m = motion(rng, row.function is not None)
    C_A, C_B = (np.eye(3), np.eye(3)) if seed == 0 else Rot.random(2, rng).as_matrix()
    found, wanted = evaluate(row, m, C_A, C_B), written(m)
    for x, y in zip(found, wanted, strict=True):
        if row.function is None and y is wanted[1]:
            continue  # without a function nothing depends on it
        np.testing.assert_allclose(x, y, rtol=1e-11, atol=1e-12)


def test_rows_that_differ_in_numbers_only_are_one_family():
    table, body = FamilyTable(), frame(np.eye(3))
    places = []
    for row in (displacement_row(U), displacement_row(-U), displacement_row(X), displacement_row(X)):
        key, numbers = row_family(row, body, body)
        places.append(table.add(row_programs(*key)))
        assert len(numbers) == sum(x not in (0.0, 1.0) for x in row.tail[0])
    assert places == [0, 0, 2, 2]


def test_half_a_turn_apart_an_orientation_is_open():
    m = motion(np.random.default_rng(1), False)
    m.R_B = m.R_A @ Rot.from_rotvec(np.pi * U).as_matrix()
    assert all(abs(evaluate(row, m, np.eye(3), np.eye(3))[0]) > 0.1 for row in orientation_rows())


def test_a_row_that_does_not_depend_on_the_motion_is_refused():
    def empty(m):
        return 1.0

    with pytest.raises(ModelError, match="'empty' does not depend on the motion"):
        assert Row("force", empty).traced
    with pytest.raises(ModelError, match="the row 'force x' is in 'mm'; expected 'm' or 'rad'"):
        Row("force x", along, "mm")
