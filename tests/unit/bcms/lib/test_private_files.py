"""Files that nobody but their owner can read."""

from bcms.lib.private_files import make_private_folder, write_private_text


def get_mode(path):
    return path.stat().st_mode & 0o777


def test_it_closes_new_and_existing_files_and_folders(tmp_path):
    folder = tmp_path / "new" / "mail"
    make_private_folder(folder)
    write_private_text(folder / "a.tsv", "ä\n")
    assert (get_mode(folder), get_mode(folder / "a.tsv")) == (0o700, 0o600)
    folder.chmod(0o755)
    (folder / "a.tsv").chmod(0o644)
    make_private_folder(folder)
    write_private_text(folder / "a.tsv", "b\n")
    assert (get_mode(folder), get_mode(folder / "a.tsv")) == (0o700, 0o600)
    assert (folder / "a.tsv").read_text(encoding="utf-8") == "b\n"
