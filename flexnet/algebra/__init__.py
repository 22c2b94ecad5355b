"""Formulas: scalars of which equal ones are one object, their derivatives, and their code in every language.

Nothing here knows mechanics. sympy, which reads and typesets formulas, is loaded where it is asked for:
:mod:`~flexnet.algebra.exchange` and :mod:`~flexnet.algebra.typeset`.
"""

from flexnet.algebra.derivative import (
    CALLS,
    backward,
    calls_in,
    forward,
    forward_each,
    function_partials,
    gradient,
    jacobian,
    sparse_jacobian,
)
from flexnet.algebra.family import Arguments, FamilyTable, TracedFunction, prepared, traced
from flexnet.algebra.function import (
    FUNCTIONS,
    Function,
    absolute,
    acos,
    asin,
    atan,
    atan2,
    cos,
    cosh,
    exp,
    heaviside,
    inverse,
    log,
    maximum,
    minimum,
    nearest,
    sgn,
    sin,
    sinh,
    sqrt,
    tan,
    tanh,
    turn_c,
    turn_f1,
    turn_f2,
    turn_factor,
    turn_g1,
    turn_g2,
    turn_s,
    turn_w,
    wrap,
)  # fmt: skip
from flexnet.algebra.language import to_c, to_fortran, to_numpy
from flexnet.algebra.llvm import to_llvm
from flexnet.algebra.machine import MachineCode, compile_programs
from flexnet.algebra.scalar import (
    Condition,
    Expr,
    Node,
    Number,
    add,
    div,
    extern,
    mul,
    number,
    power,
    product,
    scale,
    symbol,
    symbols,
    where,
)  # fmt: skip
from flexnet.algebra.tape import Program, array_of, inputs_of, mapped, reach, substituted, tape
from flexnet.algebra.turning import RotationVector, SwingTwist, Turned, swing_and_twist
from flexnet.algebra.vector import (
    UNIT,
    ZERO3,
    Mat,
    Vec,
    cross,
    dot,
    exponential,
    is_numeric,
    is_unit,
    matmul,
    matrix_of_numbers,
    minus,
    negative,
    numbers,
    plus,
    quaternion_matrix,
    quaternion_of,
    rotate,
    rotate_back,
    rotation_about,
    rotation_vector,
    times,
    transpose,
    turn_bias,
    turn_rate,
    turn_work,
    turned_quaternion,
)  # fmt: skip

__all__ = [
    "CALLS", "FUNCTIONS", "UNIT", "ZERO3", "Arguments", "Condition", "Expr", "FamilyTable", "Function",
    "MachineCode", "Mat", "Node", "Number", "Program", "RotationVector", "SwingTwist", "TracedFunction",
    "Turned", "Vec",
    "absolute", "acos", "add", "array_of", "asin", "atan", "atan2", "backward", "calls_in",
    "compile_programs", "cos", "cosh", "cross", "div", "dot", "exp", "exponential", "extern", "forward",
    "forward_each", "function_partials", "gradient", "heaviside", "inputs_of", "inverse", "is_numeric",
    "is_unit", "jacobian", "log", "mapped", "matmul", "matrix_of_numbers", "maximum", "minimum", "minus",
    "mul", "nearest", "negative", "number", "numbers", "plus", "power", "prepared", "product",
    "quaternion_matrix", "quaternion_of", "reach", "rotate", "rotate_back", "rotation_about",
    "rotation_vector", "scale", "sgn", "sin", "sinh", "sparse_jacobian", "sqrt", "substituted",
    "swing_and_twist", "symbol", "symbols", "tan", "tanh", "tape", "times", "to_c", "to_fortran",
    "to_llvm", "to_numpy", "traced", "transpose", "turn_bias", "turn_c", "turn_f1", "turn_f2",
    "turn_factor", "turn_g1", "turn_g2", "turn_rate", "turn_s", "turn_w", "turn_work",
    "turned_quaternion", "where", "wrap",
]  # fmt: skip
