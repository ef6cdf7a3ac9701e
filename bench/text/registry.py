"""Sources of PyPI and npm, by name and version: downloaded once, unpacked."""

import re
import urllib.request
from urllib.parse import urljoin

from debian import download, only_child, unpack_tar


def sdist(name, version, cache):
    """The top folder of a source distribution of PyPI."""
    there = list(cache.glob(f"pypi/{name}-{version}.tar.gz"))
    if there:
        return only_child(unpack_tar(there[0]))
    page = f"https://pypi.org/simple/{name}/"
    with urllib.request.urlopen(page, timeout=60) as answer:
        links = re.findall(r'href="([^"#]+)#sha256=(\w+)', answer.read().decode())
    ending = f"-{version}.tar.gz"
    url, sha256 = next(link for link in links if link[0].endswith(ending))
    # A mirror may give it relative to the page of the package.
    url = urljoin(page, url)
    to = cache / "pypi" / f"{name}-{version}.tar.gz"
    return only_child(unpack_tar(download(url, to, sha256)))


def npm(name, version, cache):
    """The top folder of a package of npm."""
    plain = name.rsplit("/", 1)[-1]
    url = f"https://registry.npmjs.org/{name}/-/{plain}-{version}.tgz"
    to = cache / "npm" / f"{name.replace('/', '+')}-{version}.tgz"
    return only_child(unpack_tar(download(url, to)))
