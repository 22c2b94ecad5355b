# Two commands do everything: `make demo` and `make test`. Both install into .venv first.
VENV   ?= .venv
PYTHON ?= python3
BIN    := $(VENV)/bin

.PHONY: demo test test-all bench docs install lint clean

install: $(VENV)/.installed

$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable . --group test --group lint
	touch $@

lint: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

test: install lint
	$(BIN)/python -m pytest -m "not slow" --durations=10

test-all: install lint
	$(BIN)/python -m pytest --durations=20

# the squeezer of GTM §4.6.4: its graph and trees, its motion, its figure 21; the flexible four-bar of FlexNet §5.1
demo: install
	$(BIN)/flexnet graph cases/squeezer.py --compare --out squeezer_graph
	$(BIN)/flexnet run cases/squeezer.py --out squeezer.h5
	$(BIN)/flexnet plot squeezer.h5 beta_rate --out squeezer_figure_21.png
	$(BIN)/flexnet run cases/four_bar.py --out four_bar.h5 --integrator generalised_alpha --rho 0.9 --interval 1e-4
	$(BIN)/flexnet plot four_bar.h5 coupler_deflection follower_deflection --out four_bar_deflection.png
	$(BIN)/flexnet animate four_bar.h5 --to 0.03 --out four_bar.gif
	@echo "squeezer: graph in squeezer_graph.svg, results in squeezer.h5, figure 21 of GTM in squeezer_figure_21.png"
	@echo "four-bar: results in four_bar.h5, deflections in four_bar_deflection.png, motion in four_bar.gif"

bench: install
	$(BIN)/python -m pip install --quiet --group bench
	$(BIN)/python -m tests.benchmarks
	$(BIN)/python -m tests.benchmarks.fem
	$(BIN)/python -m tests.benchmarks.energy

docs: install
	$(BIN)/python -m pip install --quiet --group docs
	$(BIN)/python -m sphinx -W --keep-going -b html docs docs/_build/html

clean:
	rm -rf $(VENV) docs/_build build dist
