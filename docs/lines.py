"""Count lines of code, as docs/architecture.md tells them: ``python docs/lines.py [folder of a checkout]``.

A line of code is one with a token on it that is neither a comment nor part of a docstring. Of physics the
files below are counted whole, and of others the definitions whose names begin as is said; what a checkout
does not have counts nothing, so the same lists serve the one in which physics was written twice (88ec4d46).
"""

import ast
import io
import sys
import tokenize
from pathlib import Path

WHO = ("compiled", "symbols", "both")
#: by what they hold and who runs them: the room, and files or definitions in it
PHYSICS: dict[str, dict[str, tuple[str, list[str]]]] = {
    "rigid bodies, joints and forces": {
        "compiled": (
            "kernels",
            ["kinematics", "forces", "constraints", "dynamics", "energy", "power", "time_function", "turns"],
        ),
        "symbols": (
            "formulation/symbolic",
            [
                "kinematics", "dynamics", "constraints", "loads", "energy", "turns", "known", "orientation",
                "mechanism", "branches", "bodies",
            ],
        ),
        "both": (
            "",
            [
                "formulation/branch", "formulation/orientation", "components/row_formulas",
                "components/row:Row Relative Leg Traced trace nearest_twist _leg _relative _nodes _vec _mat",
                "components/spring_damper:law answer", "components/loads:law _along",
                "components/time_function:_rise FORMULAS", "formulation/laws:wrench",
            ],
        ),
    },
    "functions of rotations": {
        "symbols": ("formulation/symbolic", ["special"]),
        "both": (
            "algebra",
            [
                "function:turn_ _turn_ _horner _series _twice _bernoulli _branched _F1 _W _B _C",
                "vector:exponential turn_rate turn_bias turn_work",
            ],
        ),
    },
    "loads of joints": {
        "compiled": ("formulation", ["reactions"]),
        "symbols": ("formulation/symbolic", ["reactions"]),
        "both": ("formulation", ["sensed_loads"]),
    },
    "flexible bodies": {
        "compiled": (
            "kernels",
            ["flexible", "flexible_energy", "flexible_line", "flexible_shapes", "arm", "elastic"],
        ),
        "symbols": ("formulation/symbolic", ["flexible", "flexible_frames", "flexible_tensors"]),
    },
}  # fmt: skip
SILENT = {
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING,
    tokenize.ENDMARKER,
}  # fmt: skip


def lines_of(path: Path) -> tuple[set[int], set[int]]:
    """Numbers of the lines of code of a file, and of its docstrings."""
    text = path.read_text()
    docs = set[int]()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node):
            docs |= set(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    code = set[int]()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in SILENT:
            code |= set(range(token.start[0], token.end[0] + 1))
    return code - docs, docs


def named_lines(path: Path, beginnings: tuple[str, ...]) -> set[int]:
    """Numbers of the lines of definitions whose names begin so."""
    out = set[int]()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names = [node.name]
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = [x.id for target in targets for x in ast.walk(target) if isinstance(x, ast.Name)]
        else:
            continue
        if any(name.startswith(beginnings) for name in names):
            out |= set(range(node.lineno, node.end_lineno + 1))
    return out


def count(room: Path, entry: str) -> int:
    """Lines of code of a file of a room, or of some definitions in it."""
    name, _, beginnings = entry.partition(":")
    path = room / f"{name}.py"
    if not path.exists():
        return 0
    code, _ = lines_of(path)
    return len(code & named_lines(path, tuple(beginnings.split())) if beginnings else code)


def main() -> None:
    """Write the counts of a checkout."""
    package = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent) / "flexnet"
    files = list(package.rglob("*.py"))
    found = [lines_of(path) for path in files]
    lines = sum(len(path.read_text().splitlines()) for path in files)
    code, docs = (sum(len(pair[k]) for pair in found) for k in (0, 1))
    out = [f"{len(files)} files, {lines} lines: {code} of code, {docs} of docstrings"]
    for what, parts in PHYSICS.items():
        numbers = {who: sum(count(package / room, x) for x in names) for who, (room, names) in parts.items()}
        told = ", ".join(f"{numbers.get(who, 0)} {who}" for who in WHO)
        out.append(f"{what}: {sum(numbers.values())} ({told})")
    sys.stdout.write("\n".join(out) + "\n")


if __name__ == "__main__":
    main()
