# SPDX-License-Identifier: BSD-2-Clause
# The short way in. Everything here is a line or two of meson that you may as well type yourself; see CONTRIBUTING.md.
#
#   make                              builds everything: kernels for all processors and GPUs
#   make score                        builds what scoring on this processor needs and scores the bundled sample pair
#   make score REF=a.mkv DIS=b.mkv    scores your files; ARGS='-m psnr --json out.json' passes more
#   make test                         builds and runs the quick tests
#   make install                      installs; PREFIX=/usr DESTDIR=/tmp/root as usual
#   make deb                          makes dist/*.deb, packages of Debian and Ubuntu (docs/packages.md)
#   make bundle                       makes dist/assay-*-linux-*.tar.gz, which runs wherever it is unpacked
#   make dist                         makes dist/assay-*.tar.gz of the newest commit, and what it stands on (SPDX)
#   make windows-zip                  makes dist/assay-*-windows-x86_64.zip with mingw-w64 (docs/windows.md);
#                                     URL= is where it will be: makes manifests for winget, too
#   make wheel                        makes dist/assay-*.whl, the package of Python with the libraries (docs/python.md)
#   make bundle LIBAV_HEADERS=$(tools/libav_headers.sh headers)   reads containers with FFmpeg 5 to 9; deb, wheel, too
#   make clean                        removes the build

BUILD ?= build
PREFIX ?=
SAMPLE := examples/sample
REF ?=
DIS ?=
ARGS ?=
LIBAV_HEADERS ?=
export REF DIS DESTDIR LIBAV_HEADERS
# Neither scoring nor testing here needs other processors' kernels. In CI tests get all (tools/configure.sh).
LEVELS := $(if $(filter-out score test,$(or $(MAKECMDGOALS),all)),all,any)

.PHONY: all score test install wheel deb bundle dist windows-zip clean configure

all: configure
	@ninja -C $(BUILD)

score: configure
	@ninja -C $(BUILD) --quiet src/cli/assay
	@if [ -z "$$REF$$DIS" ]; then \
	    REF=$(SAMPLE)/ref.y4m DIS=$(SAMPLE)/dis.y4m; \
	elif [ -z "$$REF" ] || [ -z "$$DIS" ]; then \
	    echo "make score: give both REF= and DIS=, or neither for the sample" >&2; exit 2; \
	fi; \
	exec $(BUILD)/src/cli/assay $(ARGS) -- "$$REF" "$$DIS"

test: SETUP = --tests
test: configure
	@tools/run_tests.sh $(BUILD)

install: configure
	@ninja -C $(BUILD) --quiet
	@meson install -C $(BUILD) --no-rebuild --quiet

wheel: configure
	@ninja -C $(BUILD) --quiet
	@python3 tools/python_wheel.py $(BUILD) dist

deb:
	@tools/make_deb.sh dist

bundle: configure
	@ninja -C $(BUILD) --quiet
	@python3 tools/bundle.py $(BUILD) dist

dist: configure
	@tools/make_dist.sh $(BUILD) dist

windows-zip:
	@tools/windows_zip.sh dist $(URL)

clean:
	rm -rf $(BUILD)

# Configures in release mode, and again when a package or the prefix has changed since, and for kernels that were left
# out: what was not found is looked for anew.
configure:
	@tools/setup.sh $(SETUP)
	@tools/configure.sh $(BUILD) $(LEVELS) $(if $(PREFIX),'$(PREFIX)')
