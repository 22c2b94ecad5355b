"""Compiled functions on plain arrays. No objects, no exceptions, no knowledge of any other room."""
