"""Speed side by side with Exudyn: same model, same step, same run. ``python -m tests.benchmarks``."""
