"""The corpus inside the repository: pack it, unpack it, and find the folder to count over.

`python -m tools.corpus.archive FOLDER` packs the parts of a complete corpus that may be redistributed into
`tests/corpus/corpus.tar.xz`; see `tests/corpus/README.md` for their origin.
"""

from __future__ import annotations

import hashlib
import io
import lzma
import os
import shutil
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("NIRLS_SHARED", PROJECT.parent / "shared"))
ARCHIVE = PROJECT / "tests" / "corpus" / "corpus.tar.xz"
PARTS = ("logs/*.log", "pipelines/hand_*/*/*", "pipelines/three*/*/*", "varyings/*.txt")
DRIVER_LOGS = (
    *("anv_dg2.mesh", "anv_skl.sub", "anv_skl.tess", "freedreno_750.cs", "iris_tgl.tess", "iris_tgl.vf"),
    *("llvmpipe.vf", "nvk170.ty1", "radeonsi_navi31.cs"),
    *("radv_gfx1201.mesh", "radv_navi21_dbg.sub", "turnip750.basic", "zink.tess"),
)


def corpus_folder() -> Path:
    """`$NIRLS_SHARED/corpus` or `../shared/corpus` if there is one, else the corpus of the repository."""
    complete = SHARED / "corpus"
    return complete if complete.is_dir() else unpacked()


def unpacked(archive: Path = ARCHIVE) -> Path:
    """Unpack an archive below `build/corpus`, in a folder named after its content; later calls reuse it."""
    digest = hashlib.blake2b(archive.read_bytes(), digest_size=8).hexdigest()
    target = PROJECT / "build" / "corpus" / digest
    if target.is_dir():
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = Path(tempfile.mkdtemp(dir=target.parent))
    with tarfile.open(archive) as tar:
        tar.extractall(partial, filter="data")
    try:
        partial.rename(target)
    except OSError:  # another process has unpacked it meanwhile
        shutil.rmtree(partial)
    return target


def pack(corpus: Path, archive: Path = ARCHIVE) -> int:
    """Write the archive; returns the number of files in it. The same files give the same bytes."""
    files = dict(_files(corpus))
    archive.parent.mkdir(parents=True, exist_ok=True)
    with (
        lzma.open(archive, "wb", preset=9 | lzma.PRESET_EXTREME) as stream,
        tarfile.open(fileobj=stream, mode="w", format=tarfile.USTAR_FORMAT) as tar,
    ):
        for name in sorted(files):
            member = tarfile.TarInfo(name)
            member.size = len(files[name])
            tar.addfile(member, io.BytesIO(files[name]))
    return len(files)


def _files(corpus: Path) -> Iterator[tuple[str, bytes]]:
    for pattern in PARTS:
        for path in corpus.glob(pattern):
            yield path.relative_to(corpus).as_posix(), path.read_bytes()
    for path in (PROJECT / "tests" / "data").glob("*.old.nir"):
        yield f"old/{path.name}", path.read_bytes()
    with tarfile.open(corpus / "drivers" / "logs.tar.xz") as logs:
        for name in DRIVER_LOGS:
            content = logs.extractfile(f"drivers/{name}.log")
            if content is not None:
                yield f"drivers/{name}.log", content.read()


if __name__ == "__main__":
    print(pack(Path(sys.argv[1])), "files in", ARCHIVE)
