"""What a page says."""


def greet(name: str) -> str:
    return f"hello {name}, from python-core"
