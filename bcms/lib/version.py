"""The version of this software, which every score's signature names."""

VERSION = "0.1.0"
