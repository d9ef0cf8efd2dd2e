# Two commands do everything: `make run` and `make test`. Node 24 comes pinned from npm, so any Node >= 20 can start.
SHELL := /bin/bash
.PHONY: run test e2e lab bench lint format golden generate build sbom image clean

# A stamp in node_modules says which lock file is installed.
node_modules/.installed: package.json package-lock.json .npmrc
	npm ci --loglevel=error
	@touch $@

install: node_modules/.installed

# Pods and policies of your own: make run PODS="a.yaml b.yaml" POLICIES=folder
export PODS POLICIES
run: install ## start the webhook on its example policies and send it a gateway and a sidecar
	@npm run --silent demo

test: install ## types, style, architecture and every test that needs only npm packages
	@npm run --silent test

e2e: install ## the tests on real components; builds or installs each on first use into .cache/
	@npm run --silent e2e

# Some of it: make lab LAB="--only S1,S3 --modes improved --repeat 1"
lab: install ## the whole experiment on a real node with istiod, gateways and HAProxy; 40 minutes, as root
	@npm run --silent lab -- $(LAB)

bench: install build ## throughput, latency and memory, as ratios within one run
	@npm run --silent bench

lint: install ## formatter, linter and types
	@npm run --silent lint
	@npm run --silent types

format: install ## write the formatter's and the linter's safe changes
	@npm run --silent format

golden: install ## regenerate the golden pods; read the diff before you commit it
	@npm run --silent golden

generate: install ## regenerate the CRD and the tables of the docs from their sources
	@npm run --silent generate

build: install ## bundle into dist/
	@npm run --silent build

sbom: install ## what the bundle is made of, as CycloneDX and SPDX, into dist/
	@npm run --silent sbom

# For example: make image BASE_IMAGE=registry.example/node:24@sha256:… IMAGE=registry.example/gracegate:0.1.0
BASE_IMAGE ?= $(shell grep -v '^\#' image/base)
IMAGE ?= gracegate:$(shell node -p 'require("./package.json").version')
image: install ## build the image with buildah or docker; UNPINNED=1 allows a base image without a digest
	@UNPINNED=$(UNPINNED) scripts/image.sh $(IMAGE) $(BASE_IMAGE)

clean:
	rm -rf dist coverage node_modules .cache
