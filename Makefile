# `make demo` and `make test` need nothing but make, a Swift 6.3 toolchain and, for what is missing, apt.
# Every other target is for work on authreel itself; CONTRIBUTING.md tells which to run when.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := build

PREFIX ?= /usr/local
DEMO_FOLDER ?= authreel-demo
# Of the tests' build, for example what continuous integration leaves out.
BUILD_FLAGS ?=
# Written into the tests' output folder by name only; the scripts find everything from the checkout.
COMPONENTS := Tests/EndToEndTests/Components

packages := pkg-config libssl-dev libpcap-dev zlib1g-dev

.PHONY: build demo test check lint format captures fuzz packages components install uninstall clean

# Seven runs: what waits for real components, what waits for sockets (some at a time: with a thousand sockets open Foundation's
# Process crashes), what gives a browser so many seconds as it gets at a user's, what waits for other programs beside servers of
# its own or counts seconds (one at a time, the commands of the documents beside the rest), what runs nothing but programs (few at
# a time: each holds a thread while it waits), and what computes. In one run they would all wait for the few threads that
# computing leaves. What computes runs beside all others, and what runs programs beside those that run one at a time and wait for
# the most part. Where all would begin at once, the minutes that a test may take would be spent in the queue for a thread: hence
# the widths. What serves from the tests' own process is neither among the components nor among the
# commands: there every thread is held. What failed in any of them is told last, by name: whoever reads the log may be shown no
# more than its end.
BROWSERS = BrowserReplayTests|ViewerPageTests|ViewerFocusTests|ViewerPaperTests|ViewCommandTests|LiveViewTests
COMPONENTS_TESTS = ComponentScenarioTests|OneCommandTests|RealLoginTests|MockLoginTests|AttackedRelyingPartyTests|RuntimeClientsTests|TrustStoreTests
COMMANDS = AgeProgramTests|AttackSuiteTests|BisectCommandTests|CommandLineTests|CutCaptureTests|DiffCommandTests|EncryptedCaptureTests|ExportedLoginTests|ImportCommandTests|ImportedPacketsTests|JWTCommandTests|MockTests|PipedCaptureTests|ShareCommandTests|SharedReplayTests|StandardOutputTests
DOCUMENTED = DocumentedCommandsTests
SOCKETS = ProxyTests|TLSTests|WireTests|ProviderTests
define RUN_TESTS
node --test Tests/ViewerTests/*.test.mjs
@logs=$$(mktemp -d); status=0; export AUTHREEL_FAILURES=$$logs/failures; touch $$logs/failures; \
Tests/run --experimental-maximum-parallelization-width 16 --skip 'EndToEndTests|$(SOCKETS)' > $$logs/computing 2>&1 & computing=$$!; \
Tests/run --twice --filter '$(COMPONENTS_TESTS)' || status=$$?; \
Tests/run --experimental-maximum-parallelization-width 16 --filter '$(SOCKETS)' || status=$$?; \
Tests/run --twice --filter '$(BROWSERS)' || status=$$?; \
Tests/run --twice --experimental-maximum-parallelization-width 4 --filter 'EndToEndTests.($(COMMANDS))' > $$logs/commands 2>&1 & commands=$$!; \
Tests/run --twice --no-parallel --filter 'EndToEndTests.$(DOCUMENTED)' > $$logs/documented 2>&1 & documented=$$!; \
Tests/run --twice --no-parallel --filter 'EndToEndTests' --skip '$(COMPONENTS_TESTS)|$(BROWSERS)|$(COMMANDS)|$(DOCUMENTED)' || status=$$?; \
wait $$commands || status=$$?; \
wait $$documented || status=$$?; \
wait $$computing || status=$$?; \
last=$$logs/failures; [ $$status != 0 ] || last=; \
cat $$logs/failures $$logs/commands $$logs/documented $$logs/computing $$last; rm -rf $$logs; exit $$status
endef

## What a user runs

demo: packages
	swift build --product authreel
	.build/debug/authreel demo --out $(DEMO_FOLDER)

test: packages
	@# What waits for the net and what computes, side by side.
	@log=$$(mktemp); $(COMPONENTS)/install > $$log 2>&1 & installing=$$!; built=0; installed=0; \
	swift build --build-tests $(BUILD_FLAGS) || built=$$?; \
	wait $$installing || installed=$$?; \
	cat $$log; rm -f $$log; [ $$built = 0 ] && [ $$installed = 0 ]
	$(RUN_TESTS)

# Whether the program may be put there is asked before it is built, which takes minutes.
install: packages
	@folder=$(DESTDIR)$(PREFIX); while [ ! -e "$$folder" ]; do folder=$$(dirname "$$folder"); done; \
	if [ ! -w "$$folder" ]; then \
	    echo "no rights to install into $(DESTDIR)$(PREFIX): make install PREFIX=\$$HOME/.local puts it where you have them" >&2; \
	    exit 77; \
	fi
	swift build -c release --static-swift-stdlib --product authreel
	install -d $(DESTDIR)$(PREFIX)/bin
	install -s -m 755 "$$(swift build -c release --static-swift-stdlib --show-bin-path)/authreel" $(DESTDIR)$(PREFIX)/bin/authreel
	@program=$(DESTDIR)$(PREFIX)/bin/authreel share=$(DESTDIR)$(PREFIX)/share; \
	put() { install -d "$$(dirname "$$1")" && "$$program" "$${@:2}" > "$$1.new" && chmod 644 "$$1.new" && mv "$$1.new" "$$1" && echo "$$1"; }; \
	put $$share/bash-completion/completions/authreel --generate-completion-script bash; \
	put $$share/zsh/site-functions/_authreel --generate-completion-script zsh; \
	put $$share/fish/vendor_completions.d/authreel.fish --generate-completion-script fish; \
	put $$share/man/man1/authreel.1 manual

uninstall:
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/,bin/authreel share/bash-completion/completions/authreel \
	    share/zsh/site-functions/_authreel share/fish/vendor_completions.d/authreel.fish share/man/man1/authreel.1)

## What a contributor runs

build: packages
	swift build

check: packages components lint
	swift build --build-tests -Xswiftc -warnings-as-errors
	$(RUN_TESTS)

lint:
	swift format lint --strict --recursive --parallel Package.swift Sources Tests Plugins

format:
	swift format --in-place --recursive --parallel Package.swift Sources Tests Plugins

# The captures that show each rule, made again; the files must come out as they are committed.
captures:
	captures/make

# Looks for inputs that break a reader of strangers' bytes; without TARGET it says which there are.
fuzz: packages
	@Tests/FuzzTests/run $(TARGET) $(if $(TARGET),$(or $(SECONDS),300))

## Set-up

# The toolchain and the C libraries. Where one is missing that apt does not bring, this says what to install and stops.
packages:
	@if ! command -v swift >/dev/null; then \
	    echo "no swift here: install the toolchain 6.3 from https://www.swift.org/install/, put it into your PATH, then run make again" >&2; \
	    exit 69; \
	fi
	@missing=(); \
	for package in $(packages); do \
	    case $$package in \
	        pkg-config) command -v pkg-config >/dev/null || missing+=($$package) ;; \
	        libssl-dev) pkg-config --exists openssl 2>/dev/null || missing+=($$package) ;; \
	        libpcap-dev) pkg-config --exists libpcap 2>/dev/null || missing+=($$package) ;; \
	        zlib1g-dev) pkg-config --exists zlib 2>/dev/null || missing+=($$package) ;; \
	    esac; \
	done; \
	if [ $${#missing[@]} -gt 0 ]; then \
	    echo "missing: $${missing[*]}" >&2; \
	    if ! command -v apt-get >/dev/null; then \
	        echo "no apt-get here: install pkg-config and the development files of OpenSSL 3, libpcap and zlib, then run make again" >&2; \
	        echo "  macOS:  brew install pkg-config openssl@3 libpcap zlib" >&2; \
	        echo "  Fedora: dnf install pkgconf openssl-devel libpcap-devel zlib-devel" >&2; \
	        exit 69; \
	    fi; \
	    as_root=; [ "$$(id -u)" = 0 ] || as_root=sudo; \
	    $$as_root apt-get update -q; \
	    $$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$${missing[@]}"; \
	fi

# The real provider, relying party and browser that the end-to-end tests drive.
components:
	@$(COMPONENTS)/install

clean:
	rm -rf .build
