import unittest
from datetime import datetime, timezone

from clock_python.page import say_time


class PageTest(unittest.TestCase):
    def test_says_the_time(self) -> None:
        self.assertIn("12:00:00", say_time(datetime(2026, 1, 1, 12, tzinfo=timezone.utc)))
