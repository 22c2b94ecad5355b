import numpy as np
import pytest

from flexnet.fem.beam import BeamSection, rectangle
from flexnet.fem.material import Material


@pytest.fixture
def steel():
    return Material(E=210e9, nu=0.3, rho=7850.0)


@pytest.fixture
def square():
    """Return the 0.1 m × 0.1 m section of the Timoshenko benchmark, k = 5/6."""
    return BeamSection(A=0.01, Iy=1e-4 / 12, Iz=1e-4 / 12, J=1.406e-5)


@pytest.fixture
def flat():
    """Return a section with three different stiffnesses."""
    return rectangle(0.03, 0.05)


@pytest.fixture
def rotation():
    """Return a rotation that is aligned with nothing."""
    Q, _ = np.linalg.qr(np.random.default_rng(7).normal(size=(3, 3)))
    return Q * np.sign(np.linalg.det(Q))
