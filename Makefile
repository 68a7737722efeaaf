# Coppice. `make` lists the targets; `make check` is what CI does at each change.

# The newest Go release, beside the one that go.mod asks for.
GO_NEWEST := go1.27.4
# Platforms on which the library must compile, and those for the tools and workloads too; the tests
# run on this one and on 386. `make check-all` compiles everything for all.
CROSS ?= darwin/arm64 windows/amd64 js/wasm
CROSS_ALL ?= windows/amd64
CROSS_FULL := darwin/arm64 windows/amd64 linux/arm64 freebsd/amd64 js/wasm
# How long `make fuzz` and `make check` fuzz each target, in seconds: 1s.
FUZZTIME ?= 1s
# ccache, where it is, knows what was compiled in another clone.
export CMAKE_CXX_COMPILER_LAUNCHER := $(shell command -v ccache)
export CCACHE_BASEDIR := $(CURDIR)
export CCACHE_NOHASHDIR := 1

# Builds of the C++ twin; `make check-all` takes CPP_ALL.
CPP_PRESETS ?= release no-exceptions libcxx sanitize race
CPP_ALL := $(filter-out sanitize race,$(CPP_PRESETS)) clang address undefined thread
# Flags of coppice lab measure: -n says what is missing, -again starts anew.
MEASURE ?=
# Interleaved rounds of `make bench`.
ROUNDS ?= 10
# The command of the manuals that takes a minute; `make check-all` runs it too.
LONG ?= go run ./cmd/coppice lab
# The size of the tests in slow builds; `make check-all` empties it.
SHORT ?= -short

# What slow builds test: the library, what it stands on, flat, prom, and what tests them; `make check-all` takes all modules.
LIBRARY := ./... ./flat/... ./prom ./workshop/profiles ./workshop/traps ./workshop/torture/...
SLOW ?= $(LIBRARY)
# What else has goroutines.
CONCURRENT := ./cmd/internal/process/... ./cmd/internal/lab/runner ./cmd/internal/lab/shard ./cmd/internal/progress ./cmd/internal/vetrun ./workloads/requests/go ./workloads/requests/go/load ./workloads/requests/go/service ./workloads/binary-trees/go ./examples/service

# Every line of every target runs in bash and is ended after LIMIT.
LIMIT := 25m
SHELL := ./scripts/limited.sh
.SHELLFLAGS = $(LIMIT)
deps deps-languages: LIMIT := 60m
workshop traps proofs: LIMIT := 45m
check changed record: LIMIT := 80m
binaries torture bugs measure bench bencharena benchstore benchflat: LIMIT := 6h
.DEFAULT_GOAL := help
.PHONY: generate help deps deps-languages test quick fresh check changed record check-all full rest workshop proofs traps browser lint race checked 386 newest cross fuzz torture torture-short manual peers cpp contenders cluster bugs bugs-sample measure bench bencharena benchstore benchflat vetcount release binaries

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "%-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

deps: ## install what a fresh Debian or Ubuntu machine lacks, and fetch the modules
	GO_NEWEST=$(GO_NEWEST) ./scripts/deps.sh

deps-languages: ## install what the lab's programs in other languages need
	./scripts/deps-languages.sh

generate: ## write the generated packages that git does not have, if they are not up to date; what needs them does so itself
	@./scripts/generate.sh

test quick lint manual rest workshop race checked 386 newest cross peers cpp fuzz torture torture-short bugs bugs-sample benchflat: | generate

test: ## run the tests of all modules
	go test -count=1 -timeout 60m work

quick: ## what to run before a commit, in a minute: format, vet, the house rules, and the tests of the library
	@$(FORMATTED)
	go vet work
	go test -count=1 ./workshop/tidy
	go test -short $(LIBRARY)

fresh: ## run the README's two commands in a clean clone of the last commit, with empty caches
	./scripts/fresh.sh

# What runs at each change; .ci/inputs has what runs when its inputs have changed.
CHECKS := fresh generate lint rest manual workshop

# Runs the targets in $targets one after the other, and says how long each took.
EACH = for target in $$targets; do start=$$SECONDS; $(MAKE) --no-print-directory $$target; echo "$@: $$target took $$((SECONDS - start)) s";

check: ## what to run before a push, in 20 minutes: all that CI does
	@targets="$(CHECKS) changed"; $(EACH) done
	@echo "make check: all is well"

changed: ## run the checks of .ci/inputs whose inputs have changed since they last passed
	@targets=$$(./scripts/changed.sh); echo "changed:" $${targets:-nothing}; $(EACH) done

record: ## the same, and write to .ci/passed what has passed; commit that file
	@targets=$$(./scripts/changed.sh); echo "record:" $${targets:-nothing}; $(EACH) ./scripts/changed.sh passed $$target; done

check-all: LIMIT := 9h
check-all: ## every check at full size, with other random seeds in each run, in hours; run it before a release
	COPPICE_SEED=free $(MAKE) full SHORT= LONG= CROSS="$(CROSS_FULL)" CROSS_ALL="$(CROSS_FULL)" FUZZTIME=15s SLOW=work LIMIT=6h CPP_PRESETS="$(CPP_ALL)"

full: export COPPICE_FULL := 1
full: fresh lint manual test browser race checked 386 newest cross peers cpp contenders cluster fuzz torture bugs
	@echo "make check-all: all is well"

# Fails if a Go file is not formatted, by the gofmt of the newest Go.
FORMATTED = gofmt=$$(GOTOOLCHAIN=$(GO_NEWEST) go env GOROOT)/bin/gofmt; bad=$$(git ls-files -z '*.go' | xargs -0 $$gofmt -l); test -z "$$bad" || { echo "run gofmt -w on:"; echo "$$bad"; exit 1; }

lint: ## check format, vet, staticcheck and coppice vet, in all builds
	@$(FORMATTED)
	@big=$$(git ls-files -z | xargs -0 stat -c '%s %n' | awk '$$1 > ($$2 ~ "^docs/results/" ? 4 : 1) * 1048576'); test -z "$$big" || { echo "files of more than 1 MiB (4 for results); is that a program?"; echo "$$big"; exit 1; }
	go vet work
	go vet -tags coppice_checks $(SLOW)
	go tool staticcheck work
	go tool staticcheck -tags coppice_checks $(SLOW)
	go run ./cmd/coppice vet work
	go run ./cmd/coppice vet -tags coppice_checks $(SLOW)
	./scripts/tidy.sh
	./scripts/testsizes.sh 30

manual: ## run every command of the README and the manuals but the first two, which `make fresh` runs
	go run ./workshop/manual -from 3 -except '$(LONG)' README.md docs/LAB.md docs/VET.md docs/benchmarking/binary-trees.md

rest: ## run the tests that the README's second command leaves out: flat, prom, golangci, the workloads, the examples, the workshop
	go test -count=1 -short ./flat/... ./prom ./golangci
	go test -count=1 ./workloads/... ./examples/... ./workshop/...

# The scripts that prove changes of many kinds of trees, by real builds and rounds: minutes.
PROOFS := ^TestScripts$$/^prove(chance|forms|modules|out|tests|wrong)$$
# The modules that attack coppice fix: minutes.
TRAPS := ^TestTraps$$

workshop: ## run the tests that start many builds: the commands, what tests the tests, a release that strangers use
	COPPICE_FULL=part go test -count=1 -timeout 44m -skip '$(PROOFS)|$(TRAPS)' ./cmd/coppice/... ./cmd/coppice-vet ./cmd/internal/... ./cmd/vet/... ./golangci ./workshop/added ./workshop/mutants ./workshop/torture ./workshop/release

proofs: ## run the scripts of coppice prove that workshop leaves out
	COPPICE_FULL=part go test -count=1 -timeout 44m -run '$(PROOFS)' ./cmd/coppice

traps: ## let the modules that attack coppice fix try it
	COPPICE_FULL=part go test -count=1 -timeout 44m -run '$(TRAPS)' ./cmd/internal/fix/traps

browser: ## show the pages of the lab, of find and of prove to a browser
	@./scripts/deps.sh browser
	go vet -tags browser ./cmd/internal/browser ./cmd/internal/lab/report ./cmd/internal/lab/merge ./cmd/internal/find/show ./cmd/internal/prove/show
	go test -tags browser -run Browser ./cmd/internal/lab/report ./cmd/internal/lab/merge ./cmd/internal/find/show ./cmd/internal/prove/show

race: ## run the tests with the race detector, which makes a checked build
	go test -race $(SHORT) $(SLOW) $(CONCURRENT)

checked: ## run the tests in a checked build, with the compiler's pointer checks
	go test $(SHORT) -tags coppice_checks -gcflags=all=-d=checkptr=2 $(SLOW)

386: ## run the tests on a 32-bit machine
	GOARCH=386 go test $(SHORT) $(SLOW)

newest: ## run the tests with the newest Go release, at the default size
	GOTOOLCHAIN=$(GO_NEWEST) go test $(SLOW)
	GOTOOLCHAIN=$(GO_NEWEST) go build work

cross: ## compile the library, flat and prom for three other platforms, and everything for one of them
	@for target in $(CROSS); do \
		echo "go vet for $$target"; \
		packages='./... ./flat/... ./prom'; case ' $(CROSS_ALL) ' in *" $$target "*) packages=work ;; esac; \
		GOOS=$${target%/*} GOARCH=$${target#*/} go vet $$packages; \
	done

bugs: ## apply every mutant of the corpus to a copy of the tree; the tests must detect each of them
	go run ./workshop/mutants

bugs-sample: ## apply one mutant in eighty, and some of those that the changes since the last `make record` touch
	@since=$$(git log -1 --format=%H -- .ci/passed); go run ./workshop/mutants -usual -sample 80 -changed "$$since" -most 8 -slow '^./cmd/coppice$$'

peers: ## check the programs that use other libraries, modules of their own
	@./scripts/deps.sh peers
	@export GOWORK=off; for module in workloads/foreign/*/go.mod; do \
		(cd $$(dirname $$module); go mod tidy -diff && go vet ./... && go test ./...) || exit 1; \
	done
	@export GOWORK=off; cd workloads/json/peers; go mod tidy -diff; go vet ./...; go test ./...
	@export GOWORK=off; cd workloads/caches/peers; go mod tidy -diff; go vet ./...; go test ./...
	@export GOWORK=off; cd workloads/jsast/go; go mod tidy -diff; go vet ./...; go test ./...; go test -race -run Readers
	@export GOWORK=off; cd workloads/index/go; go mod tidy -diff; go vet ./...; go test ./...
	@export GOWORK=off; cd workloads/service/go; go mod tidy -diff; go vet ./...; go test ./...
	@export GOWORK=off; cd workloads/treeserver/go; go mod tidy -diff; go vet ./...; go test ./...
	@export GOWORK=off; cd workloads/goast/queries; go vet ./...; go test -count=1 ./...  # tidy would fetch DuckDB for all platforms
	@export GOWORK=off; cd workloads/binary-trees/peers; for experiment in "" arenas; do \
		export GOEXPERIMENT=$$experiment; \
		go mod tidy -diff; \
		go vet ./...; \
		go test -gcflags=-d=checkptr=2 ./...; \
		GOGC=1 GODEBUG=gccheckmark=1 go test -count=1 ./...; \
	done

contenders: ## build every program of the lab and check its output at a small depth; none may be missing
	@./scripts/deps-languages.sh
	go build -o bin/coppice ./cmd/coppice
	@experiments=$$(bin/coppice lab list | sed -n 's/^\([a-z-]*\): .*/\1/p'); \
	for experiment in $$experiments; do \
		echo "coppice lab run $$experiment"; \
		bin/coppice lab run $$experiment -depth 8 -runs 1 -warmup 0 -complete > bin/lab.txt 2> bin/lab.err || { cat bin/lab.txt bin/lab.err; exit 1; }; \
	done
	go test -count=1 ./cmd/coppice/internal/lab -run BadInput -args -programs

cluster: ## run a sweep on Slurm with two nodes here, kill tasks and a node, compare with the same sweep without; installs Slurm
	./scripts/cluster.sh

cpp: ## build and test the C++ twin with gcc, clang and libc++, without exceptions, under sanitizers; build its benchmarks
	@./scripts/deps.sh cpp
	@cd cpp; for preset in $(CPP_PRESETS); do \
		echo "cmake --preset $$preset"; \
		cmake --preset $$preset > /dev/null; \
		cmake --build --preset $$preset -j 2 > build/$$preset/log.txt || { cat build/$$preset/log.txt; exit 1; }; \
		ctest --preset $$preset -j 2 > build/$$preset/log.txt || { cat build/$$preset/log.txt; exit 1; }; \
		grep 'tests passed' build/$$preset/log.txt; \
	done; \
	cmake --preset bench > /dev/null; cmake --build --preset bench -j 2 --target inline_bench push_back_bench > /dev/null

fuzz: ## fuzz every target for FUZZTIME
	@./scripts/deps.sh cpp
	go run ./workshop/torture -only plain -parts fuzz -fuzztime $(FUZZTIME) -logs bin/fuzz -record bin/fuzz/report.md
	@cd cpp; cmake --preset fuzz > /dev/null; cmake --build --preset fuzz -j 2 > /dev/null; \
	for target in inline_fuzz store_fuzz flat_fuzz flat_edit_fuzz; do \
		seeds=; if [ $$target = flat_fuzz ]; then seeds=../flat/testdata/vectors; fi; \
		mkdir -p build/fuzz/$$target-corpus; \
		build/fuzz/fuzz/$$target -max_total_time=$(FUZZTIME:s=) -print_final_stats=1 build/fuzz/$$target-corpus $$seeds > build/fuzz/log.txt 2>&1 || { cat build/fuzz/log.txt; exit 1; }; \
		grep 'stat::number_of_executed_units' build/fuzz/log.txt || { cat build/fuzz/log.txt; exit 1; }; \
	done

torture: ## run tests, fuzz targets and the soak under every condition there is: more than an hour
	go run ./workshop/torture -record docs/results/torture/report.md

torture-short: ## run a part of what the other targets leave out: a collector that checks itself, 16 processors, a big-endian machine, a short soak
	@./scripts/deps.sh emulators
	go run ./workshop/torture -short

measure: ## measure every experiment of docs/results/measure.txt anew, each when the machine is quiet, and render; a second start goes on; leave the machine alone
	go build -o bin/coppice ./cmd/coppice
	go run ./workshop/touch $(filter -n,$(MEASURE))
	bin/coppice lab measure $(MEASURE) docs/results/measure.txt
	COPPICE_UPDATE=1 go test -count=1 ./workshop/picture
	-COPPICE_UPDATE=1 go test -count=1 ./cmd/coppice/internal/lab -run Figures
	go test -count=1 ./cmd/coppice/internal/lab -run 'Committed|Experiment|Figures'

bench: ## compare the strategies in ROUNDS interleaved rounds; leave the machine alone meanwhile
	@mkdir -p bin
	go test -c -o bin/tree.test ./workloads/binary-trees/go
	@rm -f bin/tree.txt
	@for round in $$(seq $(ROUNDS)); do \
		echo "round $$round of $(ROUNDS)"; \
		bin/tree.test -test.run '^$$' -test.bench Tree -test.benchtime 0.3s >> bin/tree.txt; \
	done
	@for columns in 'naive buffered chunked' 'naive pooled slab' 'naive slab indexed' 'byhand slab indexed' 'indexed flat unrolled'; do \
		go tool benchstat -filter .unit:cpu-ns/node -row /depth -col "/alloc@($$columns)" bin/tree.txt; \
	done

bencharena: ## what arena.New costs beside slab.New and new, and Append beside append
	@mkdir -p bin
	go test -c -o bin/arena.test ./arena
	@rm -f bin/arena.txt
	@for round in $$(seq $(ROUNDS)); do \
		echo "round $$round of $(ROUNDS)"; \
		bin/arena.test -test.run '^$$' -test.bench . -test.benchtime 0.1s >> bin/arena.txt; \
	done
	go tool benchstat -filter .unit:ns/value -row '.name,/before' -col '/by@(slab Of arena new append)' bin/arena.txt

benchstore: ## the same for package store: collections, operations, bulk loads, Writers, Clone
	@mkdir -p bin
	go test -c -o bin/store.test ./store
	@rm -f bin/store.txt
	@for round in $$(seq $(ROUNDS)); do \
		echo "round $$round of $(ROUNDS)"; \
		bin/store.test -test.run '^$$' -test.bench . -test.benchtime 0.2s >> bin/store.txt; \
	done
	go tool benchstat -filter '.name:Collect .unit:cpu-ns/GC' -row /live -col /alloc bin/store.txt
	go tool benchstat -filter '(.name:Op OR .name:Read) .unit:ns/record' -row /op bin/store.txt
	go tool benchstat -filter '.name:BulkLoad .unit:ns/record' -row /way -col /huge bin/store.txt
	go tool benchstat -filter '.name:Writer .unit:ns/record' -col /goroutines bin/store.txt
	go tool benchstat -filter '.name:Clone .unit:ns/record' -col /alloc bin/store.txt

benchflat: ## flat trees of 1 M nodes beside pointers: collections and drops net of empty ones, copies, builds, walks, loads, rewrites, edits
	@mkdir -p bin
	go test -c -o bin/flat.test ./flat
	@rm -f bin/flat.txt
	@for round in $$(seq $(ROUNDS)); do \
		echo "round $$round of $(ROUNDS)"; \
		bin/flat.test -test.run '^$$' -test.bench . -test.benchtime 0.2s >> bin/flat.txt; \
	done
	go tool benchstat -filter '.name:Collect .unit:net-cpu-ns/GC' -col /form bin/flat.txt
	go tool benchstat -filter '.name:Drop .unit:net-ns/drop' -col /form bin/flat.txt
	go tool benchstat -filter '(.name:Copy OR .name:Build) .unit:ns/node' -row .name -col /form bin/flat.txt
	go tool benchstat -filter '.name:Walk .unit:ns/node' -row /nodes -col /form bin/flat.txt
	go tool benchstat -filter '.name:Load .unit:ns/node' -row /op bin/flat.txt
	go tool benchstat -filter '.name:Beside .unit:ns/node' -row /nodes -col /form bin/flat.txt
	go tool benchstat -filter '.name:Tables .unit:ns/node' -row /op bin/flat.txt
	go tool benchstat -filter '.name:Rewrite .unit:ns/node' -row /folds -col /form bin/flat.txt
	go tool benchstat -filter '.name:Edit .unit:ns/node' -row /form bin/flat.txt
	go tool benchstat -filter '.name:Match .unit:(sec/op OR allocs/op)' -row /variants -col /form bin/flat.txt

release: ## prepare the commit and the tags of a release; VERSION=v0.2.0 names it
	@go run ./workshop/release -version '$(VERSION)'

binaries: ## build the programs of a release for each platform into bin/release, with LICENSE and NOTICE; VERSION=v0.2.0 names it
	@go run ./workshop/release -version '$(VERSION)' -binaries bin/release

vetcount: ## count what coppice vet reports in the standard library and two modules, fetched
	./scripts/vetcount.sh bin/vetcount
