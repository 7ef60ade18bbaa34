"""The version of this software, which is part of every score's signature."""

VERSION = "0.1.0"
