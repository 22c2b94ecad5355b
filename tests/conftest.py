"""Make the shared samples of the test rooms importable."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "results"))
