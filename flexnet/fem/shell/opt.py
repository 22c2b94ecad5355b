r"""Membrane: the optimal ANDES triangle with drilling freedoms (OPT).

Freedoms per node, in facet axes: u, v and the drilling rotation θ = θz. The strain is the sum of a constant
part, which passes the patch test, and of a deviatoric part, linear in the triangle and of zero mean,

    ε(ζ) = ε̄ + (3/2) √β0 ε̃(ζ),     ε̄ = (1/A) Lᵀ v,     ε̃(ζ) = T_e Σ_i ζ_i Q_i θ̃,             (1)

with θ̃_i = θ_i - θ_0, θ_0 = (∂v/∂x - ∂u/∂y)/2 of the straight-sided triangle. L lumps a constant stress on
the freedoms through side displacements in which the drilling rotations enter with weight α_b = 3/2, and
Q_i gives the strains along the three sides. The constants make a rectangle of two triangles, of any aspect
ratio, exact in pure in-plane bending. Because ΣQ_i = 0 the energy of (1) is K_basic + K_higher of the
template, and (1) can be used where a strain is needed: coupling with bending, stress recovery. The
compiled strains are in flexnet.kernels.fem_shell.

References
----------
Felippa, C. A., A study of optimal membrane triangles with drilling freedoms, Comput. Methods Appl. Mech.
Engrg 192 (2003) 2125-2168, sections 4 and 5.
"""

import numpy as np

from flexnet.typing import Array

__all__ = ["beta_0", "contraction"]

BETA_0_LEAST = 0.01
"""Floor of β0: keeps the rank where the optimum would be zero or negative (ν → 1/2)."""


def beta_0(A: Array) -> float:
    r"""Return the scale of the higher-order stiffness for a membrane of stiffness ``A``.

    Notes
    -----
    A fibre direction φ would want β0 = 2/W(φ) - 3/2 with W = A11(φ) A⁻¹11(φ); the mean of W over all
    directions is used, which is exact for an isotropic sheet, β0 = (1 - 4ν²)/2. W is a trigonometric
    polynomial of degree 4 in 2φ, which five equally spaced directions average exactly.
    """
    return float(max(2.0 / contraction(A) - 1.5, BETA_0_LEAST))


def contraction(A: Array) -> float:
    """Return the mean of W = A11(φ) A⁻¹11(φ) over all directions of a membrane, 1/(1 - ν²) if isotropic."""
    phi = np.pi * np.arange(5) / 5.0
    c, s = np.cos(phi), np.sin(phi)
    strain = np.stack([c * c, s * s, 2.0 * c * s], axis=-1)
    stress = np.stack([c * c, s * s, c * s], axis=-1)
    stiff = np.einsum("pi,ij,pj->p", strain, A, strain)
    soft = np.einsum("pi,ij,pj->p", stress, np.linalg.inv(A), stress)
    return float(np.mean(stiff * soft))
