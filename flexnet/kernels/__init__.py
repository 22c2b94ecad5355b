"""Compiled functions on plain arrays; no objects, no exceptions."""
