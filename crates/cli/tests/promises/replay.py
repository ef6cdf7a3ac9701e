"""Replays captures with pywb, without a port: a line `timestamp url` in, a line `replayed status sha1 location` out.

It runs in a folder that `wb-manager` filled with a collection named `crawl`.
"""

import hashlib
import sys
from wsgiref.util import setup_testing_defaults

from pywb.apps.frontendapp import FrontEndApp

app = FrontEndApp(config_file=None)
for line in sys.stdin:
    timestamp, url = line.split()
    path, _, query = f"/crawl/{timestamp}id_/{url}".partition("?")
    environ = {"PATH_INFO": path, "QUERY_STRING": query, "REQUEST_METHOD": "GET"}
    setup_testing_defaults(environ)
    environ["REQUEST_URI"] = path + ("?" + query if query else "")
    answered = []
    body = b"".join(app(environ, lambda status, headers, *_: answered.append((status, dict(headers)))))
    status, headers = answered[0]
    print("replayed", status.split()[0], hashlib.sha1(body).hexdigest(), headers.get("Location", "-"), flush=True)
