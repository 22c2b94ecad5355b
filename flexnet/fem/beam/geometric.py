r"""Geometric stiffness of the beam from its section forces.

Second-order strain energy of the initial stresses σ_xx, τ_xy, τ_xz on the linear displacement field of a
section, integrated over a doubly symmetric section (docs/theory/beam.md):

.. math::
    U_G = \int_0^L \Big[ &N \big(v'\theta_z - w'\theta_y - \tfrac12 (\theta_y^2 + \theta_z^2)
          + \tfrac12 \rho^2 \theta_x'^2\big) - \theta_x' (M_y \theta_z - M_z \theta_y)
          + V_y (\theta_x w' - \theta_z u') \\ &+ V_z (\theta_y u' - \theta_x v')
          + \tfrac12 T (\theta_z \theta_y' - \theta_y \theta_z') \Big] dx
          + \tfrac12 \Big[ \theta_x (M_y \theta_z - M_z \theta_y) \Big]_0^L            \tag{1}

with ρ² = (Iy + Iz)/A. The term ½N u'² is left out: it is smaller than EA u'²/2 by the strain. The state of
an element is the twelve forces on its ends, between which the section forces are linear, and three parabolas
4ξ(1-ξ) of N, My, Mz that loads distributed over the element add.

N acts along the normal of the section, turned by θ, not along the line, turned by v' and w': the strains of
second order are those of geometrically exact beams, :math:`R^T r' - e_1`. Without shear both are
½N(v'² + w'²).

The last term is the second-order rotation ½θ×(θ×r) of a section. It cancels between elements in one line;
where the line has a corner, or a moment acts, it makes rotations those of exp(θ), whatever the axes of an
element: without it bending moments that become torque round a corner would be other moments there.
"""

import numpy as np

from flexnet.fem.beam.element import GAUSS_W, GAUSS_XI, BeamConstants, line_interpolation, line_slopes
from flexnet.typing import Array


def local_geometric_stiffness(L: Array, c: BeamConstants, state: Array) -> Array:
    """Return the (n_e, 12, 12) geometric stiffness in local axes.

    Parameters
    ----------
    L : (n_e,) lengths [m].
    c : beam constants.
    state : (n_e, 15) of :func:`local_state` [N, N·m].
    """
    section = section_forces(state, GAUSS_XI)  # (element, xi, force)
    N, Vy, Vz, T, My, Mz = np.moveaxis(section * (L[:, None] * GAUSS_W)[:, :, None], 2, 0)
    _, _, _, tx, ty, tz = np.moveaxis(line_interpolation(GAUSS_XI, L, c), 2, 0)
    du, dv, dw, dtx, dty, dtz = np.moveaxis(line_slopes(GAUSS_XI, L, c), 2, 0)
    K = np.zeros((len(L), 12, 12))
    for force, left, right in (
        (N, tz, dv),
        (-0.5 * N, tz, tz),
        (-N, ty, dw),
        (-0.5 * N, ty, ty),
        (0.5 * c.polar * N, dtx, dtx),
        (-My, dtx, tz),
        (Mz, dtx, ty),
        (Vy, tx, dw),
        (-Vy, tz, du),
        (Vz, ty, du),
        (-Vz, tx, dv),
        (0.5 * T, tz, dty),
        (-0.5 * T, ty, dtz),
    ):
        K += np.einsum("eg,egi,egj->eij", force, left, right, optimize=True)
    ends = section_forces(state, np.array([0.0, 1.0]))
    for place, moment in ((3, -0.5 * ends[:, 0, 4:]), (9, 0.5 * ends[:, 1, 4:])):
        K[:, place, place + 2] += moment[:, 0]
        K[:, place, place + 1] -= moment[:, 1]
    return K + K.transpose(0, 2, 1)


def prestress_between(L: Array, c: BeamConstants, state: Array, u: Array) -> Array:
    """Return the loads (n_e, 12, n_l m) on elements that their prestress brings between the ends, local axes.

    A chord that is bent, or stretched across a shear force, loads the element between its ends as a
    distributed load does: K_G u about the chord, shear forces in the axes of the sections. Twist and tension
    are left as they are.

    Parameters
    ----------
    L, c : as above.
    state : (n_e, 15, n_l) of unit loads.
    u : (n_e, 12, m) displacements of the ends.
    """
    bent = u.copy()
    bent[:, [3, 9]] -= 0.5 * (u[:, 3] + u[:, 9])[:, None]
    ends = np.array([0.0, 1.0])
    for across, turn, sign in ((1, 5, 1.0), (2, 4, -1.0)):
        chord = sign * (u[:, across + 6] - u[:, across]) / L[:, None]
        bent[:, [turn, turn + 6]] -= chord[:, None]
        bent[:, [across, across + 6]] = 0.0
    loads = np.zeros((*state.shape[::2], *u.shape[1:]))  # (element, load, freedom, shape)
    for k, unit in enumerate(np.eye(state.shape[1])):
        unit = np.broadcast_to(unit, state.shape[:2])
        turned = local_geometric_stiffness(L, c, unit) @ bent
        N = section_forces(unit, ends)[:, :, :1]
        for across, turn, sign in ((1, 5, 1.0), (2, 4, -1.0)):
            turned[:, across] += sign * N[:, 0] * bent[:, turn]
            turned[:, across + 6] -= sign * N[:, 1] * bent[:, turn + 6]
        loads -= state[:, k, :, None, None] * turned[:, None]
    loads[:, :, [0, 3, 6, 9]] = 0.0
    return np.asarray(loads.transpose(0, 2, 1, 3).reshape(*u.shape[:2], -1))


def local_state(L: Array, forces: Array, load: Array) -> Array:
    r"""Return the state (n_e, 15, n_l) of end forces and of loads distributed over the element.

    Parameters
    ----------
    L : (n_e,) lengths [m].
    forces : (n_e, 12, n_l) forces and moments on the ends, local axes.
    load : (n_e, 12, n_l) element load vector of the distributed loads, local axes.

    Notes
    -----
    An axial load p(x), linear over the element, has the nodal forces f₁, f₂ with
    :math:`p_2 - p_1 = 6(f_2-f_1)/L`; N' = -p and M_z'' = p_y, M_y'' = -p_z then give parabolas of height

    .. math:: \hat N = \tfrac34 (f_{2x}-f_{1x}), \quad
              \hat M_y = \tfrac18 L (f_{1z}+f_{2z}), \quad
              \hat M_z = -\tfrac18 L (f_{1y}+f_{2y}) .                                    \tag{2}
    """
    bow = np.stack(
        [
            0.75 * (load[:, 6] - load[:, 0]),
            0.125 * L[:, None] * (load[:, 2] + load[:, 8]),
            -0.125 * L[:, None] * (load[:, 1] + load[:, 7]),
        ],
        axis=1,
    )
    return np.concatenate([forces, bow], axis=1)


def section_forces(state: Array, xi: Array) -> Array:
    """Return (N, Vy, Vz, T, My, Mz) on the positive face at ξ, (n_e, n_xi, 6), of states (n_e, 15)."""
    first, last = -state[:, None, :6], state[:, None, 6:12]
    forces = (1.0 - xi)[None, :, None] * first + xi[None, :, None] * last
    forces[:, :, [0, 4, 5]] += (4.0 * xi * (1.0 - xi))[None, :, None] * state[:, None, 12:]
    return np.asarray(forces)
