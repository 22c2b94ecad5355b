"""Integration rules are exact up to the degree they declare."""

from math import factorial

import numpy as np
import pytest

from flexnet.fem.shell.triangle_rule import DEGREE_4, DEGREE_6, MIDSIDES


@pytest.mark.parametrize("rule", [MIDSIDES, DEGREE_4, DEGREE_6], ids=lambda rule: f"degree {rule.degree}")
def test_a_rule_integrates_every_monomial_of_its_degree(rule):
    for i in range(rule.degree + 1):
        for j in range(rule.degree + 1 - i):
            k = rule.degree - i - j
            exact = 2 * factorial(i) * factorial(j) * factorial(k) / factorial(rule.degree + 2)
            found = rule.weight @ np.prod(rule.zeta ** np.array([i, j, k]), axis=1)
            assert found == pytest.approx(exact, rel=1e-13)
