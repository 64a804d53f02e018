# SPDX-License-Identifier: MIT
"""Plants names without a comment in a copy of the public headers: check_doxygen.py reports exactly these."""
import pathlib
import shutil
import sys
import tempfile

from check_doxygen import faults_of, skipped

# Header, text, what replaces it, and the names that are then without a comment.
NAMESPACE = "namespace sessionkit { inline namespace v0 {\n"
PLANTED = [
    ("message.hpp", "struct Url {\n", "struct Url {\n  int planted_field = 0;\n", ["sessionkit::Url::planted_field"]),
    ("error.hpp", "struct Error {\n", "struct Error {\n  int planted_a = 0, planted_b = 0; ///< of the last alone\n",
     ["sessionkit::Error::planted_a"]),
    ("event.hpp", "struct Event {\n", "struct Event {\n  /// Of the first alone.\n  int planted_c = 0,\n      planted_d = 0;\n",
     ["sessionkit::Event::planted_d"]),
    ("message.hpp", "enum class Role {\n", "enum class Role {\n  planted_role, ///<\n", ["sessionkit::Role::planted_role"]),
    ("record.hpp", "  enum Order {\n", "  enum Order {\n    planted_order,\n", ["sessionkit::ReadRange::Order::planted_order"]),
    ("tokens.hpp", NAMESPACE, NAMESPACE + "int planted_function();\n",
     ["sessionkit::planted_function"]),
    ("follow.hpp", "  /// The position at which the next call continues.\n  Position",
     "  int planted_method() const;\n  /// The position at which the next call continues.\n  Position",
     ["sessionkit::LogFollower::planted_method"]),
    ("lease.hpp", " public:\n", " public:\n  explicit Lease(int planted);\n", ["sessionkit::Lease::Lease"]),
    ("lease.hpp", "  ~Lease();\n", "  ~Lease();\n  friend bool operator<(Lease const&, Lease const&) noexcept;\n",
     ["sessionkit::Lease::operator<"]),
    ("summarizer.hpp", " protected:\n", " protected:\n  int planted_protected() const;\n",
     ["sessionkit::Summarizer::planted_protected"]),
    ("time.hpp", NAMESPACE, NAMESPACE + "using PlantedAlias = int;\nstruct PlantedType {\n  int inside; ///< one\n};\n"
     "inline constexpr int planted_constant = 1;\n",
     ["sessionkit::PlantedAlias", "sessionkit::PlantedType", "sessionkit::planted_constant"]),
    ("version.hpp", "#pragma once\n", "#pragma once\n#define SESSIONKIT_PLANTED 1\n", ["SESSIONKIT_PLANTED"]),
    ("sqlite/sqlite_store.hpp", "struct SqliteStoreOptions {\n", "struct SqliteStoreOptions {\n  int planted_option = 0;\n",
     ["sessionkit::SqliteStoreOptions::planted_option"]),
    # These need none.
    ("lease.hpp", " private:\n", "  Lease(int, int) = delete;\n\n private:\n  int planted_private = 0;\n", []),
]


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    if shutil.which("doxygen") is None:
        return skipped()
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder)
        shutil.copytree(root / "include", copy / "include")
        (copy / "docs").mkdir()
        for name in ("Doxyfile", "reference.md"):
            shutil.copy(root / "docs" / name, copy / "docs" / name)
        before, _ = faults_of(copy, html=False)
        for header, old, new, _ in PLANTED:
            path = copy / "include/sessionkit" / header
            text = path.read_text(encoding="utf-8")
            assert text.count(old) == 1, f"{header} has {old!r} {text.count(old)} times"
            path.write_bytes(text.replace(old, new).encode())
        after, _ = faults_of(copy, html=False)
    expected = sorted(name for *_, names in PLANTED for name in names)
    found = sorted(line.split(": ")[1].removesuffix(" has no comment") for line in set(after) - set(before))
    print(f"{len(before)} faults before, {len(expected)} names planted, {len(found)} reported")
    for name in sorted(set(expected) ^ set(found)):
        print(f"{name} is {'not reported' if name in expected else 'reported, although nothing is missing'}")
    return 1 if before or found != expected else 0


if __name__ == "__main__":
    sys.exit(main())
