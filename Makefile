# make demo   the eight scenarios and one real lookup
# make test   every check
# Both install what is missing first. The other targets are their parts.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

VENV := .venv
VENV_HAYSTACK2 := .venv-haystack2
BIN := $(VENV)/bin
PYTHON_HERE = $(shell bash .ci/find-python.sh)
PIP_INSTALL := -m pip install -qq --disable-pip-version-check
BUILD_FILES := setup.py $(shell find csrc -name '*.[ch]' -o -name '*.cpp' -o -name '*.mk')
C_TESTS := $(MAKE) --no-print-directory -f tests/c/Makefile

export HAYSTACK_TELEMETRY_ENABLED := False

help:
	@sed -n 's/^# \(make .*\)/\1/p' Makefile

demo:
	@$(MAKE) --no-print-directory -j2 ready
	@$(BIN)/python examples/demo.py
	@$(BIN)/bounded-web lookup "how do I parse json"

test:
	@$(MAKE) --no-print-directory -j2 ready-test
	+@bash .ci/test.sh

ready: $(VENV)/.installed
ready-test: $(VENV)/.installed $(VENV_HAYSTACK2)/.installed test-c-build
build: $(VENV)/.core

# ---- environments: each stamp lies inside its environment, so that deleting one starts afresh

$(VENV)/.base: | system-venv
	@echo "creating $(VENV)"
	@$(PYTHON_HERE) -m venv $(VENV)
	@$(BIN)/python $(PIP_INSTALL) -c .ci/constraints.txt setuptools
	@touch $@

$(VENV)/.packages: pyproject.toml .ci/constraints.txt .ci/extras.py | $(VENV)/.base
	@echo "installing Python packages"
	@$(BIN)/python .ci/extras.py cli autogen haystack test > $(VENV)/requirements.txt
	@$(BIN)/python $(PIP_INSTALL) -c .ci/constraints.txt -r $(VENV)/requirements.txt
	@touch $@

$(VENV)/.installed: pyproject.toml | $(VENV)/.packages $(VENV)/.core
	@$(BIN)/python $(PIP_INSTALL) --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV_HAYSTACK2)/.installed: pyproject.toml .ci/constraints.txt | $(VENV)/.installed
	@echo "creating $(VENV_HAYSTACK2), for the oldest Haystack that is supported"
	@$(PYTHON_HERE) -m venv $(VENV_HAYSTACK2)
	@$(VENV_HAYSTACK2)/bin/python $(PIP_INSTALL) -c .ci/constraints.txt setuptools pytest hypothesis "haystack-ai==2.31.*"
	@$(VENV_HAYSTACK2)/bin/python $(PIP_INSTALL) --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.core: $(BUILD_FILES) | $(VENV)/.base system-build
	@echo "compiling bounded_web_tool._core"
	@$(BIN)/python setup.py --quiet build_ext --inplace
	@touch $@

system-venv:
	@bash .ci/system.sh venv
system-build: | system-venv
	@bash .ci/system.sh build
system-test: | system-build
	@bash .ci/system.sh test

# ---- the stages of make test

test-layers: | system-build
	@$(BIN)/python tests/check_layers.py

test-c-build: | system-test
	+@$(C_TESTS) asan-build
test-c: | system-test
	+@$(C_TESTS) asan
test-tsan: | system-test
	+@$(C_TESTS) tsan

test-py: $(VENV)/.installed $(VENV)/.core
	@$(BIN)/python -m pytest tests/py

test-haystack2: $(VENV_HAYSTACK2)/.installed $(VENV)/.core
	@$(VENV_HAYSTACK2)/bin/python -m pytest tests/py/test_haystack*.py

test-typing: $(VENV)/.installed $(VENV)/.core
	@$(BIN)/python -m mypy -p bounded_web_tool -p haystack_integrations.components.websearch.bounded_web
	@$(BIN)/python -m mypy tests/typing
	@$(BIN)/python -m mypy.stubtest bounded_web_tool._core

clean:
	rm -rf build dist *.egg-info bounded_web_tool/_core*.so .mypy_cache .pytest_cache .hypothesis $(VENV)/.core

.PHONY: help demo test ready ready-test build clean system-venv system-build system-test \
    test-layers test-c-build test-c test-tsan test-py test-haystack2 test-typing
