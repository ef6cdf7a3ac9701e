"""Packages of Debian, by name and suite: downloaded once, checked by their digest, unpacked."""

import hashlib
import io
import lzma
import shutil
import tarfile
import urllib.request
from pathlib import Path

MIRROR = "http://deb.debian.org/debian"


def download(url, to, sha256=None):
    """Fetches a file unless it is there, and checks it."""
    if not to.is_file():
        to.parent.mkdir(parents=True, exist_ok=True)
        part = to.with_name(to.name + ".part")
        with urllib.request.urlopen(url, timeout=120) as answer, part.open("wb") as file:
            shutil.copyfileobj(answer, file)
        part.rename(to)
    if sha256 is not None and hashlib.sha256(to.read_bytes()).hexdigest() != sha256:
        to.unlink()
        raise ValueError(f"{url} is not what its index says")
    return to


class Suite:
    """One suite of the archive, with its packages for amd64 and its sources."""

    def __init__(self, name, cache):
        self.name = name
        self.cache = Path(cache)
        self.binaries = None
        self.sources = None

    def _index(self, part, key):
        file = self.cache / f"{self.name}-{key}.xz"
        download(f"{MIRROR}/dists/{self.name}/main/{part}.xz", file)
        found = {}
        for stanza in lzma.decompress(file.read_bytes()).decode().split("\n\n"):
            name = stanza.split("\n", 1)[0].partition(": ")[2]
            # The last of several versions of a source is the newest.
            found[name] = stanza
        return found

    def binary(self, package):
        """Unpacks a binary package, and gives the folder."""
        if self.binaries is None:
            self.binaries = self._index("binary-amd64/Packages", "packages")
        if package not in self.binaries:
            raise KeyError(f"{self.name} has no package {package}")
        lines = self.binaries[package].splitlines()
        fields = dict(line.split(": ", 1) for line in lines if ": " in line and line[0] != " ")
        path = fields["Filename"]
        file = download(f"{MIRROR}/{path}", self.cache / path.rsplit("/", 1)[1], fields["SHA256"])
        return unpack_deb(file)

    def source(self, package):
        """Unpacks the original archive of a source package, and gives its top folder."""
        if self.sources is None:
            self.sources = self._index("source/Sources", "sources")
        if package not in self.sources:
            raise KeyError(f"{self.name} has no source {package}")
        stanza = self.sources[package].splitlines()
        folder = next(line.split(": ")[1] for line in stanza if line.startswith("Directory: "))
        start = stanza.index("Checksums-Sha256:") + 1
        for line in stanza[start:]:
            if not line.startswith(" "):
                break
            sha256, _, name = line.split()
            is_archive = ".tar." in name and not name.endswith(".asc")
            if is_archive and ".debian." not in name and ".orig-" not in name:
                file = download(f"{MIRROR}/{folder}/{name}", self.cache / name, sha256)
                return only_child(unpack_tar(file))
        raise KeyError(f"source {package} has no archive")


def unpack_deb(file):
    """The files of a .deb in a folder beside it: an ar archive with a tar of the files in it."""
    into = file.with_name(file.name + ".d")
    if not into.is_dir():
        part = into.with_name(into.name + ".part")
        shutil.rmtree(part, ignore_errors=True)
        raw = file.read_bytes()
        at = 8
        while at < len(raw):
            name = raw[at : at + 16].decode().strip().rstrip("/")
            size = int(raw[at + 48 : at + 58])
            body = raw[at + 60 : at + 60 + size]
            if name.startswith("data.tar"):
                with tarfile.open(fileobj=io.BytesIO(body)) as tar:
                    tar.extractall(part, filter="tar")
            at += 60 + size + size % 2
        part.rename(into)
    return into


def unpack_tar(file):
    """The files of a tar archive in a folder beside it."""
    into = file.with_name(file.name + ".d")
    if not into.is_dir():
        part = into.with_name(into.name + ".part")
        shutil.rmtree(part, ignore_errors=True)
        with tarfile.open(file) as tar:
            tar.extractall(part, filter="data")
        part.rename(into)
    return into


def only_child(folder):
    """The one folder in a folder."""
    children = [child for child in folder.iterdir() if child.is_dir()]
    return children[0] if len(children) == 1 else folder
