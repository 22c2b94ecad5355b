"""Theorems a page of your own can be held against, as those of flexnet are."""

from flexnet.checks.component import Check, Finding, check_component
from flexnet.checks.joint import check_joint

__all__ = ["Check", "Finding", "check_component", "check_joint"]
