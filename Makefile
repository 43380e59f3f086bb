# What a developer calls. Needs Python 3.11 and make; everything else is installed below .venv/ by the first call.

PYTHON ?= python3.11
ZIP ?=
QUICK ?=
PAGE ?=

.PHONY: help demo listing test soak test-gui bench build docs pictures format clean python

help:
	@echo "make demo                     a mannequin reaches and walks up stairs: out/demo.blend, demo.png, demo.gif"
	@echo "make test                     every check: lint, types, solvers, each Blender"
	@echo "make test-gui BLENDER=path    the add-on in a windowed Blender, with real mouse and keys"
	@echo "make build                    the extension, one zip per platform, below out/"
	@echo "make bench [ONLY=name]        the papers' experiments and the peers, figures and plots below out/bench/"
	@echo "make docs                     the documentation as a site, below out/site/"
	@echo "make pictures BLENDER=path    the pictures of the documentation, anew"
	@echo "make listing                  the moving picture, an icon and a wide one into docs/, after make demo"
	@echo "make soak                     the long fuzz and soak runs"
	@echo "make format                   put the code into its format"
	@echo "make clean                    remove everything that was made, the environments too"

python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' 2>/dev/null || \
		{ echo "posewright: needs Python 3.11 as '$(PYTHON)' (Debian 12: apt-get install python3.11 python3.11-venv; or make PYTHON=path)" >&2; exit 1; }

demo: python
	@$(PYTHON) tools/demo.py

listing: python
	@$(PYTHON) tools/demo.py --listing

test: python
	@$(PYTHON) tools/test.py $(if $(ZIP),--zip $(ZIP)) $(addprefix --only ,$(ONLY))

soak: python
	@$(PYTHON) tools/test.py --soak $(addprefix --only ,$(ONLY))

test-gui: python
	@$(PYTHON) tools/test_gui.py $(if $(ZIP),--zip $(ZIP)) $(if $(ONLY),--only $(ONLY)) -- $(BLENDER)

bench: python
	@$(PYTHON) tools/bench.py $(addprefix --only ,$(ONLY)) $(if $(QUICK),--quick) $(if $(PAGE),--page)

build: python
	@$(PYTHON) tools/build.py $(addprefix --platform ,$(PLATFORM))

docs: python
	@$(PYTHON) tools/docs.py

pictures: python
	@$(PYTHON) tools/pictures.py -- $(BLENDER)

format: python
	@$(PYTHON) -c 'import sys; sys.path.insert(0, "tools"); import environments; environments.ensure("check")'
	@.venv/check/bin/ruff check --fix && .venv/check/bin/ruff format

clean:
	rm -rf .venv out wheels .hypothesis .mypy_cache .pytest_cache .ruff_cache posewright.egg-info
	find . -name __pycache__ -prune -exec rm -rf {} +
