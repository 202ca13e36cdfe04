"""`make mesa`: build libnir from Debian's source package of Mesa, outside of the repository.

The folder is `$NIRLS_MESA`, or `mesa` in the user's cache folder of nirls. Only the library is built, with
its unit tests' framework: no driver, no LLVM. It needs a C++ compiler, flex, bison, pkg-config and zlib
(Debian: build-essential flex bison pkg-config zlib1g-dev), some minutes and 300 MB.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import urllib.request
import venv
from pathlib import Path
from typing import Final

import platformdirs

VERSION: Final = "25.0.7"
"""The version of Mesa in Debian 13 (trixie)."""

_SOURCE: Final = f"http://deb.debian.org/debian/pool/main/m/mesa/mesa_{VERSION}.orig.tar.xz"
_SHA256: Final = "592272df3cf01e85e7db300c449df5061092574d099da275d19e97ef0510f8a6"
_PROGRAMS: Final = ("c++", "flex", "bison", "pkg-config")
_PYTHON_PACKAGES: Final = ("meson>=1.4,<2", "ninja", "mako", "pyyaml", "packaging", "setuptools")
_OFF: Final = (
    *("glx", "egl", "gbm", "gles1", "gles2", "valgrind", "libunwind", "lmsensors", "shader-cache", "zstd"),
    *("xmlconfig", "llvm"),
)
LIBRARIES: Final = (
    "src/gtest/libgtest.a",
    "src/compiler/nir/libnir.a",
    "src/compiler/libcompiler.a",
    "src/util/libmesa_util.a",
    "src/util/libmesa_util_sse41.a",
    "src/util/blake3/libblake3.a",
    "src/c11/impl/libmesa_util_c11.a",
)
"""What a unit test of NIR is linked with, relative to the build folder."""


def mesa_folder() -> Path:
    """Return the folder for the source and the build, which need not exist."""
    named = os.environ.get("NIRLS_MESA")
    return Path(named) if named else platformdirs.user_cache_path("nirls") / "mesa"


def build_folder() -> Path | None:
    """Return the build folder if the library is there; None if `make mesa` has not been run."""
    folder = mesa_folder() / "build"
    is_complete = all(
        (folder / name).is_file()
        for name in ("compile_commands.json", LIBRARIES[0], LIBRARIES[1], LIBRARIES[2])
    )
    return folder if is_complete else None


def main() -> int:
    """Download, configure and build; what is there already is kept."""
    missing = [name for name in _PROGRAMS if shutil.which(name) is None]
    if missing:
        print(f"make mesa needs {', '.join(missing)}", file=sys.stderr)
        return 1
    folder = mesa_folder()
    folder.mkdir(parents=True, exist_ok=True)
    source = unpacked(folder)
    programs = _programs(folder)
    environment = os.environ | {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    build = folder / "build"
    if not (build / "build.ninja").is_file():
        options = ["-Dgallium-drivers=", "-Dvulkan-drivers=", "-Dplatforms=", "-Dbuild-tests=true"]
        options += ["-Dbuildtype=plain", "-Db_ndebug=false", *(f"-D{name}=disabled" for name in _OFF)]
        command = [str(programs / "meson"), "setup", str(build), str(source), *options]
        subprocess.run(command, env=environment, check=True)
    command = [str(programs / "ninja"), "-C", str(build), *LIBRARIES]
    subprocess.run(command, env=environment, check=True)
    print(f"libnir of Mesa {VERSION} is in {build}")
    return 0


def unpacked(folder: Path) -> Path:
    """Return the source tree; it is downloaded and checked if it is not there."""
    source = folder / f"mesa-{VERSION}"
    if source.is_dir():
        return source
    archive = folder / Path(_SOURCE).name
    if not archive.is_file():
        print(f"downloading {_SOURCE}")
        partial = archive.with_suffix(".part")
        urllib.request.urlretrieve(_SOURCE, partial)
        partial.rename(archive)
    found = hashlib.sha256(archive.read_bytes()).hexdigest()
    if found != _SHA256:
        archive.unlink()
        raise SystemExit(f"{_SOURCE} has the SHA-256 {found}, not {_SHA256}; it was removed")
    partial_tree = folder / "unpacking"
    shutil.rmtree(partial_tree, ignore_errors=True)
    with tarfile.open(archive) as tar:
        tar.extractall(partial_tree, filter="data")
    (partial_tree / source.name).rename(source)
    partial_tree.rmdir()
    return source


def _programs(folder: Path) -> Path:
    """Return the folder with meson and ninja, in an environment of their own."""
    environment = folder / "tools"
    programs = environment / ("Scripts" if os.name == "nt" else "bin")
    if not (programs / "ninja").is_file():
        venv.create(environment, with_pip=True)
        python = str(programs / "python")
        options = ["--quiet", "--disable-pip-version-check"]
        subprocess.run([python, "-m", "pip", "install", *options, *_PYTHON_PACKAGES], check=True)
    return programs


if __name__ == "__main__":
    sys.exit(main())
