"""Theorems a page of your own can be held against, as those of flexnet are."""

from flexnet.checks.component import Check, Finding, check_component

__all__ = ["Check", "Finding", "check_component"]
