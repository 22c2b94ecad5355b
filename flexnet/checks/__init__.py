"""Theorems a page of your own can be held against, as those of flexnet are: see docs/howto_add.md."""

from flexnet.checks.component import Check, Finding, check_component
from flexnet.checks.joint import check_joint
from flexnet.checks.method import MethodCheck, check_method
from flexnet.checks.region import RegionCheck, check_region

__all__ = [
    "Check",
    "Finding",
    "MethodCheck",
    "RegionCheck",
    "check_component",
    "check_joint",
    "check_method",
    "check_region",
]
