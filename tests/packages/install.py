"""Serves the packages for npm that lie in a folder, as a registry does.

usage: packages.py FOLDER FILE

Writes the port into FILE.
"""

import base64
import hashlib
import json
import sys
import tarfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote


def manifest(package: Path) -> dict:
    with tarfile.open(package) as archive:
        return json.load(archive.extractfile("package/package.json"))


class Registry(BaseHTTPRequestHandler):
    packages: dict = {}

    def do_GET(self) -> None:
        name = unquote(self.path).strip("/")
        for found, (package, stated) in self.packages.items():
            if name == found:
                self.answer(json.dumps(self.document(package, stated)).encode())
                return
            if name == package.name:
                self.answer(package.read_bytes())
                return
        self.send_error(404)

    def document(self, package: Path, stated: dict) -> dict:
        digest = base64.b64encode(hashlib.sha512(package.read_bytes()).digest()).decode()
        host = self.headers["Host"]
        dist = {"tarball": f"http://{host}/{package.name}", "integrity": f"sha512-{digest}"}
        version = stated["version"]
        return {
            "name": stated["name"],
            "dist-tags": {"latest": version},
            "versions": {version: {**stated, "dist": dist}},
        }

    def answer(self, data: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        pass


def main() -> None:
    folder, port = map(Path, sys.argv[1:])
    for package in sorted(folder.glob("*.tgz")):
        stated = manifest(package)
        Registry.packages[stated["name"]] = (package, stated)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Registry)
    port.write_text(str(server.server_port))
    server.serve_forever()


if __name__ == "__main__":
    main()
