# The two commands of the README, and what continuous integration runs. Each does its own set-up.

XTASK = cargo run --quiet --package xtask --

.PHONY: help setup plugins demo test prove e2e install check fmt clean

help: ## what there is
	@grep -E '^[a-z0-9]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

setup:
	@echo "==> the compiler and its wasm target (rust-toolchain.toml)"
	@rustup toolchain install --no-self-update >/dev/null 2>&1 || rustup toolchain install --no-self-update

plugins: setup ## build the language packs as components
	@$(XTASK) plugins

demo: setup ## the main job on a small sample workspace; builds what it shows
	@cargo run --quiet --profile quick --package xtask -- demo

test: plugins ## all tests; MARQ_SUITES=FOLDER adds those that read the public suites
	@$(XTASK) test

e2e: setup ## marq beside TypeScript's own servers, and with the clients of MCP; needs Node and Python
	@$(XTASK) e2e

install: setup ## marq with its packs, below PREFIX (default: ~/.local)
	@$(XTASK) install

prove: plugins ## every figure and every long check, next to peers that are installed; takes hours
	@$(XTASK) prove

check: setup ## format, lints and the rules of the project
	@$(XTASK) check

fmt: setup
	@cargo fmt --all

clean:
	@cargo clean
