# The commands of this project. `make help` lists them.
#
# Everything is built into one target folder. A command that needs a program which is not there
# installs it where it can (Debian, as root) and says what is missing where it cannot.

SHELL := /bin/bash
CARGO ?= cargo
REPEAT ?= 1
ONLY ?=
AGENT ?= target/debug/acp-agent --acp

.PHONY: help build journeys test lint doc bench ci tools clean

help: ## List the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo
	@echo "  make journeys AGENT='my-agent --acp'   run the journeys on another agent"
	@echo "  make journeys ONLY=cancel REPEAT=50    one journey, many times"

tools: ## Install what is missing to build and test
	@scripts/tools

build: tools ## Build all programs
	$(CARGO) build --workspace --bins

journeys: build ## Run the reference agent through the seven journeys
	@scripts/journeys $(REPEAT) $(foreach name,$(ONLY),--only $(name)) -- $(AGENT)

test: tools ## Run all checks and tests; ends with `N passed, N failed`
	@scripts/test

lint: tools ## Check the format and run the linter
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings

doc: tools ## Build the documentation of the code
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --document-private-items

bench: tools ## Measure the agent against a canned responder, side by side
	$(CARGO) build --release --workspace --bins
	target/release/bench $(BENCH)

ci: test ## What CI runs

clean: ## Remove what was built
	$(CARGO) clean
