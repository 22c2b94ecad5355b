"""Write a body as other finite-element programs write theirs."""

import struct

import numpy as np
from scipy.sparse import coo_array, csr_array

from flexnet.fem import assemble
from flexnet.fem.structure import absent_freedoms


def deck(mesh, steps=(), material=None, thickness=None):
    """An input deck of tetrahedra or facets, nodes numbered by tens."""
    out = ["** a remark", "*NODE, NSET=ALL"]
    out += [f"{10 * i + 10}, {x!r}, {y!r}, {z!r}" for i, (x, y, z) in enumerate(mesh.nodes.tolist())]
    kinds = (("C3D10", mesh.tetrahedra), ("S3", mesh.triangles), ("S4R", mesh.quadrilaterals))
    for kind, cells in kinds:
        if len(cells):
            out.append(f"*ELEMENT, TYPE={kind}, ELSET=E")
            out += [", ".join(map(str, [e + 1, *(10 * c + 10)])) for e, c in enumerate(cells)]
    for name, nodes in mesh.node_groups.items():
        out.append(f"*NSET, NSET={name}")
        out += [", ".join(map(str, 10 * nodes[i : i + 8] + 10)) for i in range(0, len(nodes), 8)]
    if material is not None:
        out += ["*MATERIAL, NAME=S", "*ELASTIC", f"{material.E!r}, {material.nu!r}", "*DENSITY"]
        section = "*SOLID SECTION" if thickness is None else "*SHELL SECTION"
        out += [repr(material.rho), f"{section}, ELSET=E, MATERIAL=s"]
        out += [] if thickness is None else [f"{thickness!r}, 5"]
    return "\n".join([*out, *steps]) + "\n"


def told(body):
    """Material and thickness of a body of one section."""
    region = body.regions[0]
    if region.kind == "tetrahedron":
        return region.material, None
    (ply,) = region.section.plies
    return ply.material, ply.thickness


def parts(body, inertia="consistent"):
    """Freedoms that are there, and lower triangles of K and M."""
    kept = np.flatnonzero(~absent_freedoms(body))
    full = assemble(body, inertia)
    return kept, [lower(csr_array(A)[kept][:, kept]) for A in (full.K, full.M)]


def lower(A):
    entries = coo_array(A)
    one = entries.row >= entries.col
    return entries.row[one], entries.col[one], entries.data[one]


def write_calculix(folder, body, inertia="consistent"):
    kept, matrices = parts(body, inertia)
    (folder / "m.inp").write_text(deck(body.mesh, (), *told(body)))
    (folder / "m.dof").write_text("".join(f"{10 * (k // 6) + 10}.{k % 6 + 1}\n" for k in kept))
    for ending, (row, column, value) in zip(("sti", "mas"), matrices, strict=True):
        lines = (f"{r + 1} {c + 1} {x!r}\n" for r, c, x in zip(row, column, value.tolist(), strict=True))
        (folder / f"m.{ending}").write_text("".join(lines))
    return {"path": folder / "m.inp"}


def write_abaqus(folder, body, inertia="consistent"):
    kept, matrices = parts(body, inertia)
    (folder / "m.inp").write_text(deck(body.mesh, (), *told(body)))
    node, way = 10 * (kept // 6) + 10, kept % 6 + 1
    for name, (row, column, value) in zip(("m_STIF1.mtx", "m_MASS1.mtx"), matrices, strict=True):
        lines = [
            f"{node[r]},{way[r]}, {node[c]},{way[c]}, {x!r}"
            for r, c, x in zip(row, column, value.tolist(), strict=True)
        ]
        (folder / name).write_text("\n".join(["** MATRIX", *lines]) + "\n")
    files = [folder / name for name in ("m_STIF1.mtx", "m_MASS1.mtx")]
    return {"path": folder / "m.inp", "stiffness": files[0], "mass": files[1]}


def write_nastran(folder, body, inertia="consistent"):
    """Grid points in free and large fields; dense and big sparse columns."""
    full = assemble(body, inertia)
    cards = ["BEGIN BULK"]
    for i, (x, y, z) in enumerate(body.mesh.nodes.tolist()):
        if i % 2:
            cards.append(f"GRID,{10 * i + 10},,{x!r},{y!r},{z!r}")
        else:
            cards += [f"GRID*   {10 * i + 10:16d}{'':16}{x:16.9e}{y:16.9e}", f"*       {z:16.9e}"]
    mesh = body.mesh
    for kind, cells in (("CTRIA3", mesh.triangles), ("CQUAD4", mesh.quadrilaterals)):
        cards += [f"{kind},{e + 1},1,{','.join(map(str, 10 * t + 10))}" for e, t in enumerate(cells)]
    for e, t in enumerate((10 * mesh.tetrahedra + 10).tolist()):
        cards += [f"CTETRA,{e + 1},1,{','.join(map(str, t[:6]))}", f"+,{','.join(map(str, t[6:]))}"]
    material, thickness = told(body)
    cards.append(f"MAT1,7,{material.E:.8E},,{material.nu!r},{material.rho!r}".replace("E+", "+"))
    cards.append("PSOLID,1,7" if thickness is None else f"PSHELL,1,7,{thickness!r},7")
    (folder / "m.bdf").write_text("\n".join([*cards, "ENDDATA"]) + "\n")
    text = op4("KGG", full.K.toarray(), is_sparse=False) + op4("MGG", full.M.toarray(), is_sparse=True)
    (folder / "m.op4").write_text(text)
    return {"path": folder / "m.bdf", "stiffness": folder / "m.op4"}


def write_binary_nastran(folder, body, inertia="consistent", order="<"):
    """The same with binary matrices: packed and big sparse columns."""
    files = write_nastran(folder, body, inertia)
    full = assemble(body, inertia)
    kinds = {"KGG": (full.K, "packed"), "MGG": (full.M, "big")}
    content = [binary_op4(name, A.toarray(), kind, order) for name, (A, kind) in kinds.items()]
    (folder / "m.op4").write_bytes(b"".join(content))
    return files


def binary_op4(name, A, kind, order="<", width=8):
    """A matrix of ``dense``, ``packed`` or ``big`` sparse columns, of numbers of 4 or 8 bytes."""

    def record(*parts):
        whole = b"".join(parts)
        return b"".join([struct.pack(f"{order}i", len(whole)), whole, struct.pack(f"{order}i", len(whole))])

    def ints(*values):
        return struct.pack(f"{order}{len(values)}i", *values)

    n, words = len(A), width // 4
    out = [record(ints(n, -n if kind == "big" else n, 6, words), f"{name:<8}".encode())]
    for j in range(n):
        rows = np.flatnonzero(A[:, j])
        if not rows.size:
            continue
        strings = np.split(rows, np.flatnonzero(np.diff(rows) > 1) + 1)
        if kind == "dense":
            strings = [np.arange(rows[0], rows[-1] + 1)]
        heads = {
            "dense": lambda s: b"",
            "packed": lambda s: ints(s[0] + 1 + 65536 * (words * len(s) + 1)),
            "big": lambda s: ints(words * len(s) + 1, s[0] + 1),
        }
        data = b"".join(heads[kind](s) + A[s, j].astype(f"{order}f{width}").tobytes() for s in strings)
        first = rows[0] + 1 if kind == "dense" else 0
        out.append(record(ints(j + 1, first, len(data) // 4), data))
    return b"".join([*out, record(ints(n + 1, 1, words), np.array([2.0**0.5], f"{order}f{width}").tobytes())])


def op4(name, A, is_sparse):
    n = len(A)
    out = [f"{n:8d}{-n if is_sparse else n:8d}{6:8d}{2:8d}{name:<8}1P,3E23.16"]
    for j in range(n):
        rows = np.flatnonzero(A[:, j])
        if not rows.size:
            continue
        if not is_sparse:
            first, last = rows[0], rows[-1]
            out += [f"{j + 1:8d}{first + 1:8d}{2 * (last - first + 1):8d}", *numbers(A[first : last + 1, j])]
            continue
        strings = np.split(rows, np.flatnonzero(np.diff(rows) > 1) + 1)
        words = sum(2 * len(s) + 2 for s in strings)
        out.append(f"{j + 1:8d}{0:8d}{words:8d}")
        for s in strings:
            out += [f"{2 * len(s) + 1:8d}{s[0] + 1:8d}", *numbers(A[s, j])]
    out += [f"{n + 1:8d}{1:8d}{1:8d}", f"{2.0**0.5:23.16E}"]
    return "\n".join(out) + "\n"


def numbers(values):
    return ["".join(f"{x:23.16E}" for x in values[i : i + 3]) for i in range(0, len(values), 3)]
