import numpy as np

from flexnet.view.shapes import draw_shapes


def test_shapes_are_drawn_for_lines_and_triangles(tmp_path):
    nodes = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], dtype=float)
    cells = {"lines": np.array([[0, 1]]), "triangles": np.array([[0, 1, 2], [0, 2, 3]])}
    u = np.zeros((4, 3))
    u[2, 2] = 0.1
    path = draw_shapes(tmp_path / "a.png", nodes, cells, {"one": u, "at rest": 0 * u})
    assert path.read_bytes().startswith(b"\x89PNG")
    other = draw_shapes(tmp_path / "b.png", nodes, {"lines": cells["lines"]}, {"one": u}, scale=2.0)
    assert other.stat().st_size > 1000
