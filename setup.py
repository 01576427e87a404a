"""Builds bounded_web_tool._core from the files in csrc/sources.mk with the flags in csrc/flags.mk."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

# pkg-config name, lowest version, and the package that brings it on Debian and Ubuntu, Fedora, Homebrew.
LIBRARIES = [
    ("libcurl", "7.87", "libcurl4-openssl-dev", "libcurl-devel", "curl"),
    ("libxml-2.0", "2.9", "libxml2-dev", "libxml2-devel", "libxml2"),
    ("libutf8proc", "2.1", "libutf8proc-dev", "utf8proc-devel", "utf8proc"),
    ("simdjson", "3.0", "libsimdjson-dev", "simdjson-devel", "simdjson"),
]
PKG_CONFIG = os.environ.get("PKG_CONFIG", "pkg-config")


def make_variables(path):
    """The `NAME := words` assignments of a makefile, as lists."""
    text = Path(path).read_text(encoding="utf-8").replace("\\\n", " ")
    values = {}
    for name, words in re.findall(r"^(\w+)\s*:=([^#\n]*)", text, re.MULTILINE):
        values[name] = words.split()
    return values


def pkg_config(*arguments):
    done = subprocess.run([PKG_CONFIG, *arguments], capture_output=True, text=True)
    return shlex.split(done.stdout) if done.returncode == 0 else None


def missing(compilers):
    """What this machine lacks: (what, Debian package, Fedora package, Homebrew package)."""
    for language, package, program in compilers:
        if not shutil.which(program):
            yield f"no {language} compiler ({program})", package, package.replace("g++", "gcc-c++"), ""
    if not Path(sysconfig.get_path("include"), "Python.h").exists():
        version = sysconfig.get_python_version()
        yield f"no headers for Python {version} (Python.h)", f"python{version}-dev", "python3-devel", "python3"
    if not shutil.which(PKG_CONFIG):
        yield f"no {PKG_CONFIG}", "pkg-config", "pkgconf-pkg-config", "pkg-config"
        return  # nothing can be said about the libraries without it
    for name, lowest, *packages in LIBRARIES:
        found = pkg_config("--modversion", name)
        if not found:
            yield f"no {name} (with headers), {lowest} or newer", *packages
        elif pkg_config(f"--atleast-version={lowest}", name) is None:
            yield f"{name} is {found[0]}, {lowest} or newer is needed (a newer release of the system has it)", *packages


def stop_if_missing(compilers):
    lacks = list(missing(compilers))
    if not lacks:
        return
    what, debian, fedora, homebrew = zip(*lacks)
    brew = " ".join(filter(None, homebrew))
    raise SystemExit(
        "\nbounded_web_tool cannot be compiled here:\n"
        + "".join(f"  - {line}\n" for line in what)
        + "Install what is missing:\n"
        + f"  Debian, Ubuntu  apt-get install {' '.join(debian)}\n"
        + f"  Fedora          dnf install {' '.join(fedora)}\n"
        + "  macOS           xcode-select --install"
        + (f"; brew install {brew}\n" if brew else "\n")
        + "                  (Homebrew keeps curl and libxml2 apart: add \"$(brew --prefix curl)/lib/pkgconfig\" and\n"
        + "                  \"$(brew --prefix libxml2)/lib/pkgconfig\" to PKG_CONFIG_PATH)\n"
    )


class BuildCore(build_ext):
    """Flags by layer, files side by side, and only those compiled that changed."""

    def build_extensions(self):
        stop_if_missing(
            [
                ("C", "gcc", self.compiler.compiler[0]),
                ("C++", "g++", self.compiler.compiler_cxx[0]),
            ]
        )
        packages = [name for name, *_ in LIBRARIES]
        for extension in self.extensions:
            extension.extra_compile_args = ["-O2", *pkg_config("--cflags", *packages)]
            extension.extra_link_args = [*pkg_config("--libs", *packages), "-pthread"]
        if self.editable_mode:  # its temporary folder would throw the objects away
            self.build_temp = f"build/temp.{self.plat_name}-{sys.implementation.cache_tag}"
        self.compiler.compile = self.compile_changed
        super().build_extensions()

    def compile_changed(self, sources, output_dir=None, macros=None, include_dirs=None, debug=0,
                        extra_preargs=None, extra_postargs=None, depends=None):  # fmt: skip
        macros, objects, postargs, preprocessor, build = self.compiler._setup_compile(
            output_dir, macros, include_dirs, sources, None, extra_postargs
        )
        arguments = self.compiler._get_cc_args(preprocessor, debug, extra_preargs)

        def compile_one(item):
            target, (source, suffix) = item
            rule = f"{target}.d"
            if self.force or not up_to_date(target, rule):
                flags = [*postargs, *layer_flags(source), "-MMD", "-MF", rule]
                self.compiler._compile(target, source, suffix, arguments, flags, preprocessor)

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(compile_one, build.items()))
        return objects


def up_to_date(target, rule):
    """Whether target is newer than everything that the compiler read for it (its make rule) and than the flags."""
    try:
        made = os.path.getmtime(target)
        read = Path(rule).read_text().split(":", 1)[1].replace("\\\n", " ").split()
        return all(os.path.getmtime(path) < made for path in [*read, *BUILD_FILES])
    except (OSError, IndexError):
        return False


def layer_flags(source):
    if source.endswith(".cpp"):
        return FLAGS["CXX_FLAGS"]
    return FLAGS[f"{Path(source).parent.name.upper()}_FLAGS"]


def version():
    return re.search(r'#define BWT_VERSION "([^"]+)"', Path("csrc/bwt.h").read_text(encoding="utf-8"))[1]


SOURCES = make_variables("csrc/sources.mk")
FLAGS = make_variables("csrc/flags.mk")
BUILD_FILES = ["setup.py", "csrc/sources.mk", "csrc/flags.mk"]

setup(
    version=version(),
    ext_modules=[
        Extension(
            "bounded_web_tool._core",
            sources=[f"csrc/{name}" for layer in ("CORE", "NET", "PY") for name in SOURCES[layer]],
            include_dirs=["csrc"],
            depends=[*map(str, Path("csrc").rglob("*.h")), *BUILD_FILES],
            language="c++",  # links the C++ runtime for the one C++ file
        )
    ],
    cmdclass={"build_ext": BuildCore},
)
