# How long to search with each fuzz target: a span of time, or a number of runs such as 100000x.
FUZZTIME ?= 5m
# Which benchmarks, how many runs of all of them, and the time for each in a run.
BENCH ?= .
BENCHCOUNT ?= 10
BENCHTIME ?= 100ms
STATICCHECK ?= honnef.co/go/tools/cmd/staticcheck@v0.8.2

GOVULNCHECK ?= golang.org/x/vuln/cmd/govulncheck@v1.9.0
GOVULNDB ?= https://vuln.go.dev

.PHONY: help test race lint vuln fuzz bench examples conformance weight

help: ## list the targets
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

test: ## run all tests that need nothing but Go
	go test ./...

race: ## run them under the race detector, which takes the test of load minutes, and those of scripts, which need bash
	go test -race -tags scripts -timeout 30m ./...

lint: ## gofmt, vet, staticcheck and the module file
	@unformatted=$$(gofmt -l .); test -z "$$unformatted" || { echo "gofmt: $$unformatted"; exit 1; }
	go vet -tags scripts,realslurm ./...
	go run $(STATICCHECK) -tags scripts,realslurm ./...
	go mod tidy -diff

# Without the database there is nothing to check against, which is said and is no failure; anything else is one.
vuln: ## look for known vulnerabilities in what the SDK calls
	@found=$$(go run $(GOVULNCHECK) -db $(GOVULNDB) ./... 2>&1); status=$$?; \
	printf '%s\n' "$$found"; \
	case "$$status $$found" in \
	0*) ;; \
	*"govulncheck: fetching vulnerabilities: "*) \
		echo "NOT CHECKED: known vulnerabilities, as the database $(GOVULNDB) cannot be reached from here" ;; \
	*) exit 1 ;; \
	esac

# When a span of time ends while a worker is busy, go test can report that as a failure (golang/go issue 75804); what was
# found is then missing from its output.
fuzz: SHELL = bash
fuzz: ## search FUZZTIME, such as 5m or 100000x, with each fuzz target
	@set -o pipefail; log=$$(mktemp); trap 'rm -f "$$log"' EXIT; \
	grep -rlE '^func Fuzz' --include='*_test.go' . | xargs -n1 dirname | sort -u | while read -r dir; do \
		for target in $$(grep -hoE '^func Fuzz[A-Za-z0-9]+' "$$dir"/*_test.go | sed 's/func //'); do \
			echo "fuzz $$dir $$target"; \
			go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 100x "$$dir" 2>&1 | tee "$$log" \
				|| { grep -qx '  *context deadline exceeded' "$$log" && ! grep -q 'Failing input' "$$log"; } || exit 1; \
		done; \
	done

bench: ## compare with other ways to do the same, in one table; RESULTS=1 also writes internal/bench/RESULTS.md
	cd internal/bench && go run ./table -bench '$(BENCH)' -count $(BENCHCOUNT) -time $(BENCHTIME) $(if $(RESULTS),-o RESULTS.md)

weight: ## say what the SDK costs a program, and fail above its limits
	go run ./internal/weight

examples: ## run the example programs on the embedded servers
	@for program in examples/*/main.go; do \
		echo "go run ./$${program%/main.go}"; \
		go run "./$${program%/main.go}" || exit 1; \
	done

conformance: SHELL = bash
BED = internal/realslurm/realslurm.sh

conformance: ## run the suite and the quickstart on a real Slurm as well; needs root and Debian's registry
	$(BED) up
	@status=0; \
	set -o pipefail; \
	go test -tags realslurm -timeout 30m -p 1 -count 1 -v ./internal/realslurm ./internal/conformance | grep -v '^=== ' || status=$$?; \
	root=$$($(BED) root) && go run ./examples/quickstart -slurm unix:$$root/run/slurmrestd/alice.sock -dir /home/alice -root $$root || status=$$?; \
	$(BED) down || status=$$?; \
	exit $$status
