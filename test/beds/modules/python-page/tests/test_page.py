import threading
import unittest
import urllib.request
from http.server import ThreadingHTTPServer

from python_page.main import Page


class PageTest(unittest.TestCase):
    def setUp(self) -> None:
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)

    def read(self, path: str) -> str:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.server.server_port}{path}", timeout=10) as answer:
            return answer.read().decode()

    def test_is_healthy(self) -> None:
        self.assertEqual(self.read("/healthz"), "ok")

    def test_says_what_core_says(self) -> None:
        self.assertIn("python-core", self.read("/"))
