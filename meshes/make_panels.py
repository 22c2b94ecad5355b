"""Write the panel meshes of this folder: 2 m × 2 m squares of 32 to 2048 triangles, mirror-symmetric.

The panel of Richard (2012), section 5.2, has 32 triangles. Run it as ``python meshes/make_panels.py``.
"""

from pathlib import Path

from flexnet.mesh import panel_mesh, write_mesh

SIDE = 2.0  # m
CELLS = (4, 8, 16, 32)

if __name__ == "__main__":
    for n in CELLS:
        write_mesh(Path(__file__).parent / f"panel_{2 * n * n}.msh", panel_mesh(SIDE, SIDE, n, n))
