"""What a page says."""

# What every page of the mesh says.


def greet(name: str) -> str:
    return f"hello {name}, from python-core"
