"""What can be measured of a network: a signal of an edge, or of a node against the datum."""

from flexnet.errors import ModelError
from flexnet.networks.network import Variable


def _variable(domain: str, kind: str, edge: str, node: str) -> Variable:
    if bool(edge) == bool(node) or (node and kind == "through"):
        raise ModelError(
            f"a measure of the {domain} domain needs the name of an edge, or node= that of a node"
        )
    return Variable(domain, kind, edge, node)


def voltage(edge: str = "", node: str = "") -> Variable:
    """Voltage of an edge, tail minus head, or of a node against the ground, V."""
    return _variable("electrical", "across", edge, node)


def current(edge: str) -> Variable:
    """Current through an edge, from tail to head, A."""
    return _variable("electrical", "through", edge, "")


def pressure(edge: str = "", node: str = "") -> Variable:
    """Pressure across an edge, tail minus head, or of a node against the ground, Pa."""
    return _variable("hydraulic", "across", edge, node)


def flow(edge: str) -> Variable:
    """Volume that passes an edge from tail to head, m³/s."""
    return _variable("hydraulic", "through", edge, "")


def magnetic_tension(edge: str = "", node: str = "") -> Variable:
    """Magnetic tension of an edge, tail minus head, or of a node against the ground, A."""
    return _variable("magnetic", "across", edge, node)


def flux_rate(edge: str) -> Variable:
    """Rate of the flux through an edge, from tail to head, V."""
    return _variable("magnetic", "through", edge, "")


def temperature(edge: str = "", node: str = "") -> Variable:
    """Temperature across an edge, tail minus head, or of a node against the ground, K."""
    return _variable("thermal", "across", edge, node)


def heat_flow(edge: str) -> Variable:
    """Heat that passes an edge from tail to head, W."""
    return _variable("thermal", "through", edge, "")


def line_displacement(edge: str = "", node: str = "") -> Variable:
    """Displacement across an edge of a line, head minus tail, or of a node, m."""
    return _variable("translation", "across", edge, node)


def line_velocity(edge: str = "", node: str = "") -> Variable:
    """Velocity across an edge of a line, head minus tail, or of a node, m/s."""
    return _variable("translation", "rate", edge, node)


def line_force(edge: str) -> Variable:
    """Force of an edge of a line on its head, N."""
    return _variable("translation", "through", edge, "")


def shaft_angle(edge: str = "", node: str = "") -> Variable:
    """Angle across an edge of a shaft, head minus tail, or of a node, rad."""
    return _variable("rotation", "across", edge, node)


def shaft_speed(edge: str = "", node: str = "") -> Variable:
    """Speed across an edge of a shaft, head minus tail, or of a node, rad/s."""
    return _variable("rotation", "rate", edge, node)


def shaft_torque(edge: str) -> Variable:
    """Torque of an edge of a shaft on its head, N m."""
    return _variable("rotation", "through", edge, "")
