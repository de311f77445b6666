import unittest

from python_core import greet


class GreetTest(unittest.TestCase):
    def test_names_who_is_greeted(self) -> None:
        self.assertIn("mesh", greet("mesh"))
