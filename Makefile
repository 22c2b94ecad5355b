# Two commands do everything: `make demo` and `make test`. Both install into .venv first.
VENV   ?= .venv
PYTHON ?= python3
BIN    := $(VENV)/bin

# bytecode is kept whatever the surroundings say: every command starts processes, and none need compile the package anew
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo demo-squeezer demo-four-bar test browser test-all test-lowest bench docs pictures page-pictures install lint stubs dist clean

# what the demo needs; --no-compile: bytecode is made of what is imported, when it is
$(VENV)/.runs: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --no-compile --editable ".[view]"
	touch $@

# and what tests and linters need beside it, twice as much
$(VENV)/.installed: $(VENV)/.runs
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --editable ".[view,fe]" --group test --group lint
	touch $@

install: $(VENV)/.installed

lint: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# what pages enter in registries, written down: System's methods and the lazy names of the package, for type checkers and
# editors; the record of what the package offers, which tests hold it to; the table of tree rules in the documentation
stubs: install
	$(BIN)/python -c "from pathlib import Path; from flexnet.system import builders; \
		Path('flexnet/system/builders.pyi').write_text(builders.stub())"
	$(BIN)/ruff check --quiet --fix --select I,F flexnet/system/builders.pyi
	$(BIN)/ruff format --quiet flexnet/system/builders.pyi
	$(BIN)/python -m tests.package.public_api
	$(BIN)/python -m tests.docs.test_tree_rules

# one process a core, one thread a process
PYTEST := OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses auto --dist worksteal

# kernels that LLVM optimises little compile in half the time and compute the same bits; demo and test-all have them whole
test: install lint
	FLEXNET_OPTIMISE=1 $(PYTEST) -m "not slow" --durations=10

# the pages in a real browser: Debian's Chromium, driven by playwright; tests/browser says what is missing otherwise
browser: install
	$(BIN)/python -m pip install --quiet --group browser
	command -v chromium || apt-get install --yes chromium
	$(BIN)/python -m pytest tests/browser

test-all: install lint
	$(BIN)/python -m pip install --quiet --group fuzz
	$(PYTEST) --durations=20

# the lowest versions that pyproject.toml says are enough, in an environment of their own; that these old libraries use what
# newer ones deprecate is theirs
test-lowest:
	$(PYTHON) -m venv $(VENV)-lowest
	$(VENV)-lowest/bin/python -m pip install --quiet uv
	$(VENV)-lowest/bin/uv pip install --quiet --python $(VENV)-lowest/bin/python --resolution lowest-direct --editable ".[view,fe]" --group test
	OPENBLAS_NUM_THREADS=1 $(VENV)-lowest/bin/python -m pytest -m "not slow" --numprocesses auto --dist worksteal \
		-W ignore::DeprecationWarning

# wheel and source archive, in dist/
dist: install
	$(BIN)/python -m hatchling build

# the squeezer of GTM §4.6.4: its graph and trees, its motion, its figure 21; beside it the flexible four-bar of FlexNet §5.1,
# its links cut into eight pieces, compared with geometrically exact beams; then one page of all
demo: $(VENV)/.runs
	@$(MAKE) --no-print-directory --jobs=2 $(if $(filter output-sync,$(.FEATURES)),--output-sync=line) demo-squeezer demo-four-bar
	$(BIN)/python docs/demo_page.py
	@echo "squeezer: graph in squeezer_graph.svg, results in squeezer.h5, figure 21 of GTM in squeezer_figure_21.png"
	@echo "four-bar: results in four_bar.h5, motion in four_bar.gif, beside its reference in four_bar_report.html"
	@echo "all of it to look at in any browser: demo.html"

demo-squeezer: $(VENV)/.runs
	$(BIN)/flexnet graph cases/squeezer.py --compare --out squeezer_graph
	$(BIN)/flexnet run cases/squeezer.py --out squeezer.h5
	$(BIN)/flexnet plot squeezer.h5 beta_rate --out squeezer_figure_21.png
	$(BIN)/flexnet view squeezer.h5 --out squeezer.html

demo-four-bar: $(VENV)/.runs
	$(BIN)/flexnet run cases/four_bar.py --set pieces=8 --set modes=0 --tree joint --out four_bar.h5 \
		--integrator generalised_alpha --rho 0.9 --interval 1e-4
	$(BIN)/flexnet plot four_bar.h5 coupler_deflection follower_deflection --out four_bar_deflection.png
	$(BIN)/flexnet animate four_bar.h5 --to 0.03 --out four_bar.gif
	$(BIN)/flexnet compare four_bar.h5 cases/references/four_bar_nonlinear.csv --to 0.0598 --tolerance 3% \
		--map coupler_deflection=vc_mid_m --map follower_deflection=vf_mid_m \
		--plot four_bar_comparison.png --report four_bar_report.html
	$(BIN)/flexnet view four_bar.h5 --out four_bar.html --reference cases/references/four_bar_nonlinear.csv --to 0.0598 \
		--tolerance 3% --map coupler_deflection=vc_mid_m --map follower_deflection=vf_mid_m

bench: install
	$(BIN)/python -m pip install --quiet --group bench
	$(BIN)/python -m tests.benchmarks
	$(BIN)/python -m tests.benchmarks.first_run
	$(BIN)/python -m tests.benchmarks.from_wheel
	$(BIN)/python -m tests.benchmarks.flexible
	$(BIN)/python -m tests.benchmarks.symbolic
	$(BIN)/python -m tests.benchmarks.fem
	$(BIN)/python -m tests.benchmarks.energy
	$(BIN)/python -m tests.benchmarks.control
	$(BIN)/python -m tests.benchmarks.contact
	$(BIN)/python -m tests.benchmarks.large
	$(BIN)/python -m tests.benchmarks.scaling 4000
	$(BIN)/python -m tests.benchmarks.precision

# the moving pictures of the README and the poses of the gallery
pictures: install
	$(BIN)/python docs/pictures.py

# and those of the living report, in a real browser
page-pictures: install
	$(BIN)/python -m pip install --quiet --group browser
	command -v chromium || apt-get install --yes chromium
	$(BIN)/python docs/page_pictures.py

docs: install
	$(BIN)/python -m pip install --quiet --group docs
	$(BIN)/python -m sphinx -W --keep-going -b html docs docs/_build/html

clean:
	rm -rf $(VENV) docs/_build build dist
