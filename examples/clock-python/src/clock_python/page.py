import os
import signal
import sys
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def say_time(now: datetime) -> str:
    return f"It is {now:%H:%M:%S}, says Python.\n"


class Page(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = ("ok\n" if self.path == "/healthz" else say_time(datetime.now(timezone.utc))).encode()
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
