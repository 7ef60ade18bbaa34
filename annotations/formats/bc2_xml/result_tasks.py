"""The tasks with results in BioCreative II XML; apart from the reader, which takes longer to load than most runs."""

# Pairs, which are also read as interactors; methods; passages.
BC2_TASKS = frozenset({"int", "ipt", "imt", "iss"})
