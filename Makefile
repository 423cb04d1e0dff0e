# The commands in the README, and those of continuous integration. Each does its own setup.

XTASK = cargo run --quiet --package xtask --

.PHONY: help setup plugins demo test prove e2e install grammars dist check fmt clean

help: ## list the targets
	@grep -E '^[a-z0-9]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

setup:
	@echo "==> the compiler and its wasm target (rust-toolchain.toml)"
	@rustup toolchain install --no-self-update >/dev/null 2>&1 || rustup toolchain install --no-self-update

plugins: setup ## build the language packs as components
	@$(XTASK) plugins

demo: setup ## show the main features on a small sample workspace; builds what it needs
	@cargo run --quiet --profile quick --package xtask -- demo

test: plugins ## run all tests; MARQ_SUITES=FOLDER adds those for the public suites
	@$(XTASK) test

e2e: setup ## compare marq with TypeScript's own servers, and test it with MCP clients; needs Node and Python
	@$(XTASK) e2e

install: setup ## install marq, which contains its packs, below PREFIX (default: ~/.local)
	@$(XTASK) install

grammars: setup ## compile the grammars of tree-sitter for the sandbox again; needs Python
	@$(XTASK) grammars

dist: setup ## build marq for Linux and Windows, and make its packages in target/dist; needs Python
	@$(XTASK) dist

prove: plugins ## produce all figures and run all long checks, compared with the installed peers; takes hours
	@$(XTASK) prove

check: setup ## check format, lints and the rules of the project
	@$(XTASK) check

fmt: setup
	@cargo fmt --all

clean:
	@cargo clean
