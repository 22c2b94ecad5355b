"""A shell to test elements with: a body of one section, its sparse matrices, its solutions."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csc_array, csr_array
from scipy.sparse.linalg import eigsh, splu

from flexnet.fem.assembly import Matrices, assemble, block_pattern, geometric_stiffness
from flexnet.fem.body import Body
from flexnet.fem.shell import CENTROID, ShellRegion, ShellSection, ShellStress, generalised_strain
from flexnet.fem.shell.quad_region import QuadRegion
from flexnet.mesh import Mesh


def recovered(X, section, q_e, zeta=CENTROID, normals=None) -> ShellStress:
    """Stresses of facets at area coordinates ``zeta``, (n_e, n_p, …)."""
    strains = generalised_strain(X, section, q_e, zeta, normals)
    none = np.zeros((0, 3))
    return ShellStress(np.zeros((len(X), 3), int), section, strains, np.zeros(0, int), none, none)


@dataclass(frozen=True)
class Shell:
    """Nodes (n, 3), triangles (n_e, 3) and one section."""

    nodes: np.ndarray
    cells: np.ndarray
    section: ShellSection
    bending_scale: float | None = None

    @cached_property
    def body(self) -> Body:
        mesh = Mesh(self.nodes, triangles=self.cells, triangle_groups={"shell": np.arange(len(self.cells))})
        return Body(mesh, [ShellRegion("shell", self.section, bending_scale=self.bending_scale)])

    @cached_property
    def matrices(self) -> Matrices:
        return assemble(self.body)

    @property
    def X(self) -> np.ndarray:
        return self.nodes[self.cells]

    @property
    def n(self) -> int:
        return 6 * len(self.nodes)

    @property
    def freedoms(self) -> np.ndarray:
        return (6 * self.cells[:, :, None] + np.arange(6)).reshape(-1, 18)

    def assemble(self, K_e: np.ndarray) -> csr_array:
        return block_pattern(self.body).assembled([(self.cells, K_e)])

    def gather(self, load_e: np.ndarray) -> np.ndarray:
        return np.bincount(self.freedoms.ravel(), load_e.ravel(), self.n)

    def K(self) -> csr_array:
        return self.matrices.K

    def M(self) -> csr_array:
        return self.matrices.M

    def K_G(self, q: np.ndarray) -> csr_array:
        return geometric_stiffness(self.body, q)

    def free(self, fixed: np.ndarray) -> np.ndarray:
        return np.setdiff1d(np.arange(self.n), fixed)

    def at(self, mask: np.ndarray, *directions: int) -> np.ndarray:
        """Freedoms of the nodes in ``mask`` in ``directions`` (default all six)."""
        nodes = np.flatnonzero(mask)
        return (6 * nodes[:, None] + np.array(directions or range(6))).ravel()

    def solve(self, load: np.ndarray, fixed: np.ndarray, value: float | np.ndarray = 0.0) -> np.ndarray:
        q = np.zeros(self.n)
        q[fixed] = value
        free, K = self.free(fixed), self.K()
        q[free] = splu(csc_array(K[free][:, free])).solve((load - K @ q)[free])
        return q

    def frequencies(self, fixed: np.ndarray, count: int, shift: float = 0.0, extra: csr_array | None = None):
        """Lowest angular frequencies; ``extra`` is added to the stiffness."""
        free = self.free(fixed)
        K = self.K() if extra is None else self.K() + extra
        K, M = csc_array(K[free][:, free]), csc_array(self.M()[free][:, free])
        lam = eigsh(K, count, M, sigma=shift, return_eigenvectors=False)
        return np.sqrt(np.abs(np.sort(lam)))


class QuadShell(Shell):
    """The same shell of quadrilaterals, two triangles each; loads are those of the triangles."""

    region = QuadRegion

    @cached_property
    def quadrilaterals(self) -> np.ndarray:
        first, second = self.cells[::2], self.cells[1::2]
        slash = (first[:, 0] == second[:, 0])[:, None]
        return np.where(
            slash,
            np.column_stack([first, second[:, 2]]),
            np.column_stack([first[:, :2], second[:, 1], first[:, 2]]),
        )

    @cached_property
    def body(self) -> Body:
        quads = self.quadrilaterals
        mesh = Mesh(self.nodes, quadrilaterals=quads, quadrilateral_groups={"q": np.arange(len(quads))})
        return Body(mesh, [self.region("q", self.section, bending_scale=self.bending_scale)])


def rectangle(a: float, b: float, nx: int, ny: int, diagonal: str = "/") -> tuple[np.ndarray, np.ndarray]:
    r"""Nodes and triangles of [0, a] × [0, b]; diagonals ``/``, ``\``, ``x`` (four-fold), ``+`` (in turn)."""
    x, y = np.linspace(0, a, nx + 1), np.linspace(0, b, ny + 1)
    nodes = np.array([[u, v, 0.0] for v in y for u in x])
    cells = []
    for j in range(ny):
        for i in range(nx):
            n0 = j * (nx + 1) + i
            n1, n2, n3 = n0 + 1, n0 + nx + 2, n0 + nx + 1
            slash = diagonal == "/" or (diagonal == "x" and (2 * i < nx) == (2 * j < ny))
            slash |= diagonal == "+" and (i + j) % 2 == 0
            cells += [[n0, n1, n2], [n0, n2, n3]] if slash else [[n0, n1, n3], [n1, n2, n3]]
    return nodes, np.array(cells)
