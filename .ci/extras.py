"""Prints the requirements of the named extras in pyproject.toml, so that they can be installed before the build is done."""

import sys
import tomllib

with open("pyproject.toml", "rb") as file:
    extras = tomllib.load(file)["project"]["optional-dependencies"]
print(*(requirement for name in sys.argv[1:] for requirement in extras[name]), sep="\n")
