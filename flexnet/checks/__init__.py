"""The theorems a page of one's own must satisfy, ready to be run: see docs/howto_add.md."""

from flexnet.checks.method import MethodCheck, check_method

__all__ = ["MethodCheck", "check_method"]
