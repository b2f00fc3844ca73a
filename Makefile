# The commands of this repository. One profile and one target folder serve all of them but `bench`, which measures a release.

ARGS ?=
N ?= 500
ONLY ?=
.DEFAULT_GOAL := help
.PHONY: help demo test lint campaign bench discovery

help: ## List these targets
	@awk -F ':.*## ' '/^[a-z][a-z-]*:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

demo: ## Build and run the main job on the embedded default, then stay up (ARGS=--once: stop after it)
	@scripts/demo.sh $(ARGS)

test: ## Set up what is needed and run every test, the real clients and the conformance suite
	@scripts/test.sh

lint: ## Formatting, clippy and shellcheck, with no warning let through
	@scripts/lint.sh

campaign: ## Kill the service N times (500), and cut its power as often; nothing promised may be missing
	@scripts/campaign.sh $(N)

bench: ## Measure the service against its baselines, and write docs/benchmarks.md (QUICK=1: briefly, CALLS=n, ONLY="rest. mcp.")
	@scripts/bench.sh $(ONLY)

discovery: ## Measure how well plain tasks find their tools among 1,100 and 10,171 real ones
	@scripts/discovery.sh
