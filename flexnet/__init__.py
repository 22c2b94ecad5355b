"""flexnet: flexible multibody dynamics from linear graphs."""

__version__ = "0.1.0"
