import os
import signal
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from python_core import greet


class Page(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = ("ok" if self.path == "/healthz" else greet(os.environ.get("NAME", "mesh"))).encode()
        self.send_response(200)
        self.send_header("content-type", "text/plain; charset=utf-8")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def main() -> int:
    server = ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Page)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    server.serve_forever()
    return 0
