# The commands of this project. `make help` lists them.
#
# Everything is built into one target folder. A command that needs a program which is not there
# installs it where it can (Debian, as root) and says what is missing where it cannot.

SHELL := /bin/bash
CARGO ?= cargo
REPEAT ?= 1
ONLY ?=
TARGET := $(or $(CARGO_TARGET_DIR),target)
AGENT ?= $(TARGET)/debug/acp-agent --acp

.PHONY: help build release journeys test lint doc bench soak fuzz peers clients image containers targets recipes slurm daemon ci tools clean

HOST := $(shell rustc --print host-tuple 2>/dev/null)
DURATION ?= 60

help: ## List the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo
	@echo "  make journeys AGENT='my-agent --acp'   run the journeys on another agent"
	@echo "  make journeys ONLY=cancel REPEAT=50    one journey, many times"

tools: ## Install what is missing to build and test
	@scripts/tools

build: tools ## Build all programs
	$(CARGO) build --workspace --bins

# With --target the flags do not reach the macros, which cannot be static. Without relocations a
# program starts faster, and every command that the agent runs starts its supervisor; the price is
# that the program's own addresses are not randomised.
release: tools ## Build the static programs for release
	RUSTFLAGS="-C target-feature=+crt-static -C relocation-model=static" $(CARGO) build --release --target $(HOST) \
		-p acp-agent -p journeys-tests -p mcp-tools -p acp-runner -p acp-sessions \
		--bin acp-agent --bin acp-journeys --bin mcp-tools --bin acp-runner --bin acp-sessions

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
	$(TARGET)/release/bench $(BENCH)

soak: build ## Random mixed work for DURATION seconds, with the invariants checked all the time
	$(TARGET)/debug/soak --seconds $(DURATION)

fuzz: tools ## Fuzz all that reads bytes of others, DURATION seconds for each
	scripts/fuzz $(DURATION)

peers: build ## Run the checker on right agents that others' SDKs make
	journeys-tests/peers/run

clients: build ## Take real clients through the seven journeys' prompts
	journeys-tests/clients/run

image: ## Build the container image acp-journeys with docker or podman
	@scripts/image

containers: ## Build the image and run the journeys in podman, docker, bubblewrap and unshare
	scripts/test-containers

targets: tools ## Run durable sessions over a real ssh server and in real containers
	scripts/test-targets

recipes: tools ## Hold the recipes for engines against the engines' schemas
	journeys-tests/recipes/run

slurm: build ## Run the recipe for Slurm on two nodes on this machine, one of which is killed
	journeys-tests/slurm/run $(TARGET)/debug

daemon: tools ## Run the runner under the real colonizer-agentd
	scripts/test-runner-daemon

ci: test ## What CI runs

clean: ## Remove what was built
	$(CARGO) clean
