# SPDX-License-Identifier: MIT
"""Plants a violation of each rule of the rooms in a copy of the tree: the check reports exactly it, by name."""
import contextlib
import io
import os
import pathlib
import shutil
import sys
import tempfile

from msvc import PAGES, WINTERNL, check_msvc
from patterns import check_patterns
from rooms import LICENCE, TESTS_OF_MORE, check_bodies, check_rooms
from systems import check_systems, faults_in

BODY = (LICENCE + "// Does what is planted.\n#pragma once\n#include <sessionkit/error.hpp>\n\n"
        "namespace sessionkit { inline namespace v0 { namespace detail {\nnamespace %s_inl { namespace {\n\n"
        "int helper() { return 1; }\n\n}}\n}}}\n")
IN = "include/sessionkit/"
SOMEWHERE = f"{IN}detail/store/append_decision-inl.hpp"
PARTS = ("src_core.hpp, src_exchange.hpp, src_export.hpp, src_file_store.hpp, src_history.hpp, src_import.hpp, "
         "src_session.hpp, src_transcript.hpp, src_upkeep.hpp")


def add(path, text):
    """Text at the end of a file, or a new file."""
    def plant(root):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        with open(root / path, "a", encoding="utf-8") as file:
            file.write(text)
    return plant


def replace(path, old, new):
    def plant(root):
        text = (root / path).read_text(encoding="utf-8")
        assert old in text, f"{path} has no {old!r}"
        (root / path).write_bytes(text.replace(old, new, 1).encode())
    return plant


def body(room, stem, text="", header=True, listed=True, where="detail/"):
    """A new unit in a room, right but for what the arguments leave out."""
    def plant(root):
        folder = f"{where}{room}" if where else f"{room}/detail"
        add(f"{IN}{folder}/{stem}-inl.hpp", text or BODY % stem)(root)
        if header:
            add(f"{IN}{folder}/{stem}.hpp", LICENCE + "#pragma once\n")(root)
        if listed:
            add(f"{IN}{f'{where}{room}' if where else room}/src.hpp",
                f"#include <sessionkit/{folder}/{stem}-inl.hpp>\n")(root)
    return plant


def both(*plants):
    def plant(root):
        for each in plants:
            each(root)
    return plant


def include(path):
    return f"#include <sessionkit/{path}>\n"


# check, what is planted, what is reported. Most arrows that run up tie a knot as well; one of them shows that.
PLANTED = [
    (check_rooms, add(f"{IN}detail/base/error-inl.hpp", include("detail/json/json.hpp")),
     ["up: detail/base/error-inl.hpp (base) includes detail/json/json.hpp (json)", "knot: base json include each other"]),
    (check_rooms, add(f"{IN}session_store.hpp", include("titles.hpp")),
     ["up: session_store.hpp (store) includes titles.hpp (session)"]),
    (check_rooms, add(f"{IN}detail/history/part_rules-inl.hpp", include("transcript_reader.hpp")),
     ["up: detail/history/part_rules-inl.hpp (history) includes transcript_reader.hpp (transcript)"]),
    (check_rooms, add(f"{IN}detail/providers/provider-inl.hpp", include("file_store.hpp")),
     ["up: detail/providers/provider-inl.hpp (providers) includes file_store.hpp (file_store)"]),
    (check_rooms, add(f"{IN}compaction.hpp", include("file_store.hpp")),
     ["up: compaction.hpp (compaction) includes file_store.hpp (file_store)"]),
    (check_rooms, add(f"{IN}sqlite/sqlite_store.hpp", include("transcript_reader.hpp")),
     ["up: sqlite/sqlite_store.hpp (sqlite) includes transcript_reader.hpp (transcript)"]),
    (check_rooms, add(f"{IN}redis/redis_store.hpp", include("sqlite/sqlite_store.hpp")),
     ["up: redis/redis_store.hpp (redis) includes sqlite/sqlite_store.hpp (sqlite)"]),
    (check_rooms, add(f"{IN}detail/json/json.hpp", include("detail/cellar/box.hpp")),
     ["up: detail/json/json.hpp (json) includes detail/cellar/box.hpp, which is in no room"]),
    (check_rooms, add(f"{IN}detail/cellar/box.hpp", LICENCE), ["table: detail/cellar/box.hpp is in no room"]),
    (check_rooms, add(f"{IN}novelty.hpp", LICENCE), ["table: novelty.hpp is in no room"]),
    (check_rooms, replace("docs/architecture.md", "`raw_json`", "`raw_json`, `novelty`"),
     ["table: novelty.hpp does not exist"]),
    (check_rooms, replace("docs/architecture.md", "`raw_json`", "`raw_json`, `titles`"),
     ["table: titles.hpp is in two rooms"]),
    (check_rooms, add("docs/architecture.md", "`detail/json/gone-inl.hpp`\n"),
     ["table: docs/architecture.md names detail/json/gone-inl.hpp, which does not exist"]),
    (check_rooms, add("tools/sessionkit/main.cpp", include("detail/json/json.hpp")),
     ["program: tools/sessionkit/main.cpp includes detail/json/json.hpp, which is private"]),
    (check_rooms, add("tests/unit/json/no_such_unit_test.cpp", LICENCE),
     ["test: tests/unit/json/no_such_unit_test.cpp names no header or body of json"]),
    (check_rooms, add("tests/unit/json/utf8_test.cpp", LICENCE),
     ["test: tests/unit/json/utf8_test.cpp names no header or body of json"]),
    (check_rooms, add("tests/unit/utf8_test.cpp", LICENCE), ["test: tests/unit/utf8_test.cpp lies in no room"]),
    (check_rooms, lambda root: (root / "tests/unit" / next(iter(TESTS_OF_MORE))).unlink(),
     [f"test: tests/unit/{next(iter(TESTS_OF_MORE))} is listed in tests/headers/rooms.py and does not exist"]),
    (check_bodies, body("json", "planted", header=False),
     ["header: detail/json/planted-inl.hpp has no header of its stem"]),
    (check_bodies, body("json", "ids", header=False),  # the public header of that name belongs to another room
     ["header: detail/json/ids-inl.hpp has no header of its stem",
      "stem: detail/json/ids-inl.hpp has the stem of detail/base/ids-inl.hpp"]),
    (check_bodies, body("sqlite", "planted", header=False, where=""),
     ["header: sqlite/detail/planted-inl.hpp has no header of its stem"]),
    (check_bodies, body("json", "planted", text=(BODY % "planted").replace("// Does what is planted.\n", "")),
     ["sentence: detail/json/planted-inl.hpp does not say in its second line what it does"]),
    (check_bodies, body("json", "planted", text=(BODY % "planted").replace("planted.\n", "planted\n")),
     ["sentence: detail/json/planted-inl.hpp does not say in its second line what it does"]),
    (check_bodies, body("json", "planted", text=BODY % "other"),
     ["namespace: detail/json/planted-inl.hpp has helpers outside planted_inl"]),
    (check_bodies, body("json", "planted", text=BODY % "planted" + "namespace {\nint more = 1;\n}\n"),
     ["namespace: detail/json/planted-inl.hpp has helpers outside planted_inl"]),
    (check_bodies, body("json", "planted", listed=False),
     ["list: detail/json/src.hpp names detail/json/planted-inl.hpp 0 times"]),
    (check_bodies, both(body("json", "planted"),
                        add(f"{IN}detail/json/src.hpp", include("detail/json/planted-inl.hpp"))),
     ["list: detail/json/src.hpp names detail/json/planted-inl.hpp 2 times"]),
    (check_bodies, add(f"{IN}detail/json/src.hpp", include("detail/json/gone-inl.hpp")),
     ["list: detail/json/src.hpp names detail/json/gone-inl.hpp 1 times"]),
    (check_bodies, add("src/json.cpp", "int more = 1;\n"),
     ["list: src/json.cpp does not include exactly detail/json/src.hpp"]),
    (check_bodies, lambda root: (root / "src/sqlite.cpp").unlink(),
     ["list: src/sqlite.cpp does not include exactly sqlite/src.hpp"]),
    (check_bodies, replace("cmake/SessionkitTargets.cmake", "sessionkit_rooms base json", "sessionkit_rooms json"),
     ["list: cmake/SessionkitTargets.cmake does not build the rooms in their order"]),
    (check_bodies, add("src/cellar.cpp", LICENCE), ["list: src/cellar.cpp is of no room"]),
    (check_bodies, add(f"{IN}src_upkeep.hpp", include("detail/json/src.hpp")),
     [f"list: {PARTS} name detail/json/src.hpp 2 times"]),
    (check_bodies, replace(f"{IN}src_core.hpp", include("detail/json/src.hpp"), ""),
     [f"list: {PARTS} name detail/json/src.hpp 0 times"]),
    (check_bodies, replace(f"{IN}src.hpp", include("src_upkeep.hpp"), ""),
     [f"list: src.hpp does not name exactly {PARTS}"]),
    (check_bodies, body("json", "json_posix", header=False), []),  # it has the header json.hpp
    (check_bodies, body("json", "json_wasi", header=False), []),
    (check_bodies, body("json", "json_windows", header=False), []),
    (check_bodies, body("json", "planted_posix", header=False),
     ["header: detail/json/planted_posix-inl.hpp has no header of its stem"]),
    (check_systems, add(f"{IN}detail/base/ids-inl.hpp", "#include <unistd.h>\n"),
     [f"system: {IN}detail/base/ids-inl.hpp includes <unistd.h>"]),
    (check_systems, add(f"{IN}error.hpp", "# include <cerrno>\n#include <system_error>\n"),
     [f"system: {IN}error.hpp includes <cerrno>"]),
    (check_systems, add(f"{IN}sqlite/detail/sqlite_file-inl.hpp", "#include <sys/stat.h>\n#include <sqlite3.h>\n"),
     [f"system: {IN}sqlite/detail/sqlite_file-inl.hpp includes <sys/stat.h>"]),
    (check_systems, add("src/base.cpp", "#include <netinet/in.h>\n#include <windows.h>\n"),
     ["system: src/base.cpp includes <netinet/in.h>", "system: src/base.cpp includes <windows.h>"]),
    (check_systems, add(f"{IN}detail/base/file_ops_posix.hpp", "#include <fcntl.h>\n"),  # a header, which others include
     [f"system: {IN}detail/base/file_ops_posix.hpp includes <fcntl.h>"]),
    (check_systems, add(f"{IN}detail/base/file_ops_posix-inl.hpp", "#include <sys/uio.h>\nint e = errno; // O_APPEND\n"), []),
    (check_systems, add(f"{IN}detail/base/file_ops_windows-inl.hpp", "#include <windows.h>\n"), []),
    (check_systems, add(f"{IN}detail/base/windows_header.hpp", "#include <winternl.h>\n"), []),
    (check_systems, add(f"{IN}detail/base/windows_names.hpp", "#include <windows.h>\n#include <winternl.h>\n"),
     [f"system: {IN}detail/base/windows_names.hpp includes <windows.h>",
      f"system: {IN}detail/base/windows_names.hpp includes <winternl.h>"]),
    (check_systems, add(f"{IN}detail/store/planted_posix-inl.hpp", LICENCE + "#include <unistd.h>\n"),  # not of the seam by its name
     [f"system: {IN}detail/store/planted_posix-inl.hpp includes <unistd.h>"]),
    (check_systems, lambda root: (root / IN / "detail/base/sockets_posix-inl.hpp").unlink(),
     [f"system: {IN}detail/base/sockets_posix-inl.hpp is listed in tests/headers/systems.py and does not exist",
      f"system: {IN}detail/base/src.hpp includes <sessionkit/detail/base/sockets_posix-inl.hpp>, which is no header of the library"]),
    (check_systems, add(f"{IN}detail/store/planted.inc", "#include <fcntl.h>\n"),
     [f"system: {IN}detail/store/planted.inc is neither a .hpp nor a .cpp"]),
    (check_systems, add(SOMEWHERE, include("detail/store/planted.inc")),
     [f"system: {SOMEWHERE} includes <sessionkit/detail/store/planted.inc>, which is no header of the library"]),
    (check_systems, add(SOMEWHERE, include("../../usr/include/fcntl.hpp")),
     [f"system: {SOMEWHERE} includes <sessionkit/../../usr/include/fcntl.hpp>, which is no header of the library"]),
    (check_systems, add(SOMEWHERE, include("detail/base/windows_header.hpp")),
     [f"system: {SOMEWHERE} includes <sessionkit/detail/base/windows_header.hpp>, which is for the seam"]),
    (check_patterns, add("include/planted.hpp", 'auto a = format_text("{} of {}", 1);\n'),
     ["pattern: include/planted.hpp:1: format_text has places for 2 values and is given 1"]),
    (check_patterns, add("include/planted.hpp", 'auto a = format_text(\n    "{} "\n    R"x({{}} {:08x})x", f(1, 2));\n'),
     ["pattern: include/planted.hpp:1: format_text has places for 2 values and is given 1"]),
    (check_patterns, add("include/planted.hpp", 'auto a = format_text("{} of {", 1); // {}\n'),
     ["pattern: include/planted.hpp:1: format_text has unmatched braces and is given 1"]),
    (check_patterns, add("include/planted.hpp", 'make_error(Errc::corrupt, one ? "{}" : "none", g<a, b>(1), 2);\n'),
     ["pattern: include/planted.hpp:1: make_error has places for 1 values and is given 2",
      "pattern: include/planted.hpp:1: make_error has places for 0 values and is given 2"]),
    (check_patterns, add("include/planted.hpp", 'format_text("{1} {0}", m[{1, 2}], "a, b") + format_text("{}", 1\'000);\n'),
     []),
    *[(check_msvc, add("include/sessionkit/detail/planted.hpp", f"int before;\n{text}\n"),
       [f"msvc: include/sessionkit/detail/planted.hpp:2: {what} ({page})"]) for text, what, page in [
        ("__attribute__((cold)) void f();", "an attribute of GCC", PAGES + "cpp/attributes"),
        ("struct [[gnu::packed]] A;", "an attribute of GCC in brackets", PAGES + "error-messages/compiler-warnings/c5030"),
        ("int n = __builtin_ctz(8);", "a function of GCC", PAGES + "intrinsics/compiler-intrinsics"),
        ("int n = ({ f(); 1; });", "a statement as an expression", PAGES + "cpp/primary-expressions"),
        ("Options o{.create = true};", "a member's name in braces, which needs C++20",
         PAGES + "overview/visual-cpp-language-conformance"),
        ("Options o{ create: true };", "a member's name and a colon in braces",
         PAGES + "overview/visual-cpp-language-conformance"),
        ("struct A { int size; char text[0]; };", "an array without elements",
         PAGES + "error-messages/compiler-errors-1/compiler-error-c2466"),
        ("ssize_t n = 0;", "a type of POSIX", PAGES + "c-runtime-library/standard-types"),
        ("bool same = ::strcasecmp(a, b) == 0;", "a function of POSIX",
         PAGES + "c-runtime-library/reference/crt-alphabetical-function-reference"),
        ("int file = ::open(path, 0);", "a call of the system by the name of POSIX",
         PAGES + "c-runtime-library/reference/crt-alphabetical-function-reference"),
        ("int failed = ::NtSetInformationFile(file, 0, 0, 0, 0);", "a function of ntdll that winternl.h lacks", WINTERNL),
        ("FILE_FS_DEVICE_INFORMATION device;", "a name of the driver kit", WINTERNL),
        ("#include <bits/stdc++.h>", "a header of GCC or POSIX", PAGES + "standard-library/cpp-standard-library-header-files"),
        ("#define LOG(words...) f(words)", "a named list of a macro's arguments", PAGES + "preprocessor/variadic-macros"),
        ("#define LOG(a, ...) f(a, ##__VA_ARGS__)", "a comma before ##, which two preprocessors read in two ways",
         PAGES + "preprocessor/preprocessor-experimental-overview"),
        ("#warning soon", "a directive of GCC", PAGES + "preprocessor/preprocessor-directives"),
        ("bool b = not a;", "a word for an operator", PAGES + "cpp/logical-negation-operator-exclpt"),
        ("__typeof__(a) b;", "typeof, which is C only", PAGES + "c-language/typeof-c"),
        ("unsigned __int128 wide;", "a number of 128 bits", PAGES + "cpp/data-type-ranges"),
        ("_Float128 wide;", "a number of 128 bits", PAGES + "cpp/data-type-ranges"),
        ("static __thread int n;", "a variable of a thread by GCC's word", PAGES + "parallel/thread-local-storage-tls"),
        ("long n = __extension__ 1;", "__extension__, which is GCC's", PAGES + "cpp/keywords-cpp"),
        ("void f(void* p) { goto *p; }", "a jump to an address", PAGES + "cpp/goto-statement-cpp"),
        ("int bits = __CHAR_BIT__;", "a number by GCC's macro", PAGES + "preprocessor/predefined-macros"),
        ("long n = __LONG_MAX__;", "a number by GCC's macro", PAGES + "preprocessor/predefined-macros"),
        ("int f(int a) { switch (a) { case 1 ... 5: return 1; } }", "a range of cases", PAGES + "cpp/switch-statement-cpp"),
        ("int n = a ?: b;", "a condition without its second part", PAGES + "cpp/conditional-operator-q"),
        ('void f() { asm volatile("pause"); }', "an instruction of the processor", PAGES + "assembler/inline/inline-assembler"),
        ("char const* name = __PRETTY_FUNCTION__;", "the name of a function by GCC's macro",
         PAGES + "preprocessor/predefined-macros"),
        ("#if __cplusplus >= 202002L\n#endif", "__cplusplus without _MSVC_LANG", PAGES + "build/reference/zc-cplusplus"),
        ("int small = 1;", "a macro of windows.h for a name", "https://learn.microsoft.com/en-us/windows/win32/midl/small"),
        (f'char const* a = "{"x" * 16_381}";', "a literal of 16381 bytes",
         PAGES + "error-messages/compiler-errors-1/compiler-error-c2026"),
        (f"""char const* a = {f'"{"x" * 16_000}" ' * 5};""", "a text of 80000 bytes in literals",
         PAGES + "error-messages/compiler-errors-1/fatal-error-c1091"),
    ]],
    (check_msvc, add("include/sessionkit/error.hpp", "inline int least(int a) { return std::min(a, 1); }\n"),
     ["msvc: include/sessionkit/error.hpp:43: min or max, which windows.h defines (https://support.microsoft.com/en-us/help/143208)"]),
    (check_msvc, add("include/sessionkit/detail/planted.hpp", "#if defined(_WIN32)\n\n#else\nssize_t n;\n#endif\n"
                     "#if defined(__GNUC__) && !defined(_WIN32)\nssize_t n;\n#elif __has_include(<unistd.h>)\nssize_t n;\n#endif\n"
                     "// ssize_t, a and b, `{.a = 1}`\nchar const* a = \"__attribute__ and not\"; int b = (std::min)(1, 2);\n"), []),
    (check_msvc, add("include/sessionkit/detail/planted.hpp", "#if defined(__linux__) \\\n    || defined(_WIN32)\nssize_t n;\n#endif\n"),
     [f"msvc: include/sessionkit/detail/planted.hpp:3: a type of POSIX ({PAGES}c-runtime-library/standard-types)"]),
    (check_msvc, add("include/sessionkit/detail/planted.hpp", "#if defined(_MSC_VER) || !defined(__GNUC__)\nssize_t n;\n#endif\n"),
     [f"msvc: include/sessionkit/detail/planted.hpp:2: a type of POSIX ({PAGES}c-runtime-library/standard-types)"]),
    (check_msvc, add("include/sessionkit/detail/base/planted_posix-inl.hpp", "ssize_t n;\n"), []),
    (check_msvc, add("include/sessionkit/detail/base/planted_windows-inl.hpp",
                     'extern "C" NTSTATUS NTAPI NtFlushBuffersFile(HANDLE, PIO_STATUS_BLOCK);\n'
                     "int a = ntdll::NtFlushBuffersFile(file, &io), b = ::NtClose(file), c = files.open(file), d = File::open(file);\n"
                     "#if defined(__MINGW32__)\nFS_INFORMATION_CLASS kind;\n#endif\n"), []),
    (check_msvc, replace("include/sessionkit/detail/base/src.hpp", "#if defined(min) || defined(max)", "#if 0"),
     ["msvc: include/sessionkit/detail/base/src.hpp does not refuse the macros min and max "
      "(https://support.microsoft.com/en-us/help/143208)"]),
    (check_msvc, replace("include/sessionkit/detail/base/windows_header.hpp", "#if _WIN32_WINNT < 0x0A00", "#if 0"),
     ["msvc: windows_header.hpp does not demand the declarations of Windows 10 "
      "(https://learn.microsoft.com/en-us/windows/win32/winprog/using-the-windows-headers)"]),
    (check_msvc, replace("include/sessionkit/detail/base/config.hpp", "UTF-8 as", "bytes as"),
     ["msvc: include/sessionkit/detail/compaction/summarizer-inl.hpp has a literal of more than ASCII, and config.hpp does not "
      f"demand /utf-8 ({PAGES}build/reference/utf-8-set-source-and-executable-character-sets-to-utf-8)"]),
]


# Headers of systems and of other libraries, which this file may not include.
OTHER_HEADERS = (
    "Windows.h winbase.h fileapi.h shlobj.h winsock.h bcrypt.h winioctl.h endian.h byteswap.h getopt.h execinfo.h mntent.h "
    "malloc.h alloca.h regex.h uuid/uuid.h TargetConditionals.h Availability.h copyfile.h libproc.h os/lock.h "
    "CoreFoundation/CoreFoundation.h machine/endian.h ./errno.h x86_64-linux-gnu/sys/stat.h errno.h csignal filesystem "
    "fstream fmt/core.h sqlite3.h nlohmann/json.hpp")
# text in this file, what is reported about it
TRICKS = [
    ("#include/**/<fcntl.h>", "includes <fcntl.h>"),
    ("# /* a */ include /* b */ <fcntl.h> // c", "includes <fcntl.h>"),
    ("#inc\\\nlude \\\n <fcntl.h>", "includes <fcntl.h>"),
    ("# \\ \ninclude <fcntl.h>", "includes <fcntl.h>"),
    ('#include "fcntl.h"', 'has #include ""'),
    ("#define H <fcntl.h>\n#include H", "has #include H"),
    ("#include <sys//stat.h>", "has #include <sys"),
    ("%:include <fcntl.h>", "uses %:"),
    ("??=include <fcntl.h>", "uses ??="),
    ("#include_next <fcntl.h>", "has #include_next <fcntl.h>"),
    ("#import <fcntl.h>", "has #import <fcntl.h>"),
    ("import <fcntl.h>;", "uses import<"),
    ("#embed <fcntl.h>", "has #embed <fcntl.h>"),
    ("#pragma comment(lib, \"ntdll\")", 'has #pragma comment(lib, "")'),
    ("_Pragma(\"once\")", "uses _Pragma"),
    ("#if __has_include(<unistd.h>)\n#endif", "uses __has_include"),
    ("#if defined(__linux__)\n#endif", "uses __linux__"),
    ("int f() { return errno; }", "uses errno"),
    ("int f() { return *__errno_location(); }", "uses __errno_location"),
    ("#define NAME er##no", "uses ##"),
    ("int f() { return \\u0065rrno; }", "uses \\"),
    ('extern "C" int open(char const*, int, ...);', "uses extern"),
    ('int open(char const*, int) asm("open");', "uses asm"),
    ("int f = ::open(path, O_RDONLY | O_CLOEXEC);", "uses ::open", "uses O_CLOEXEC", "uses O_RDONLY"),
    ("int f = :: /* a */ close(1);", "uses ::close"),
    ("int f = openat(AT_FDCWD, path, 0);", "uses AT_FDCWD"),
    ("bool b = code == ENOENT || code == EINTR;", "uses EINTR", "uses ENOENT"),
    ("auto n = fsync(1) + getpid();", "uses fsync", "uses getpid"),
    ('auto n = std::getenv("HOME");', "uses std::getenv"),
    ("pid_t child = 0;", "uses pid_t"),
    ('int n = std::system("x") + std::remove(path.c_str());', 'uses std::remove(path.c_str())', "uses std::system"),
    ("int n = std::rename(from, to) + std::remove(joined(a, b(c)));", "uses std::remove(joined(a,b(c)))", "uses std::rename"),
    ("auto end = std::remove(s.begin(), s.end(), f(a)) - std::remove_if(s.begin(), s.end(), g);",),
    ('char const* a = R"(errno ::open)"; auto b = "O_RDONLY"; // ENOENT, import <a>',),
    ("// a comment \\\nwith errno\nint x = file.unlink(a) + io::pread(b); /* #include <fcntl.h> */",),
    ("int EOF_or = EOF; auto n = ns::open(1); auto m = a<b>::open(2); namespace import { int y; }",),
]


def tricks_missed(root):
    missed = 0
    rows = [(f"#include <{name}>", f"includes <{name}>") for name in OTHER_HEADERS.split()] + TRICKS
    for text, *expected in rows:
        found = sorted(set(faults_in(root, SOMEWHERE, f"int before;\n{text}\nint after;\n")))
        if found != sorted(expected):
            missed += 1
            print(f"trick {text!r}: expected", *expected, "found", *found, sep="\n  ")
    print(f"{len(rows)} tricks, {missed} not reported as they should be")
    return missed


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    failures = tricks_missed(root)
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder)
        for part in ("include", "src", "tests/unit", "docs", "cmake", "tools", "examples"):
            shutil.copytree(root / part, copy / part, ignore=shutil.ignore_patterns("images", "node_modules"))
        clean = {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in copy.rglob("*") if path.is_file()}
        run = lambda check: report(check, copy)
        before = {check: run(check) for check in (check_rooms, check_bodies, check_systems, check_patterns, check_msvc)}
        for number, (check, plant, expected) in enumerate(PLANTED):
            plant(copy)
            found = sorted(set(run(check)) - set(before[check]))
            tied = any(line.startswith("knot") for line in before[check])  # an old knot would swallow a new one
            if tied or not any(line.startswith("knot") for line in expected):
                found, expected = without_knots(found), without_knots(expected)
            if found != sorted(expected):
                failures += 1
                print(f"plant {number}: expected", *sorted(expected), "found", *found, sep="\n  ")
            restore(copy, clean)
    print(f"{len(PLANTED)} planted, {failures} in all not reported as they should be")
    return 1 if failures else 0


def without_knots(lines):
    return [line for line in lines if not line.startswith("knot")]


def report(check, root):
    with contextlib.redirect_stdout(io.StringIO()):
        return list(check(root, None))


def restore(root, clean):
    for path in [path for path in root.rglob("*") if path.is_file() and path not in clean]:
        path.unlink()
    for path, (time, data) in clean.items():
        if not path.exists() or path.stat().st_mtime_ns != time:
            path.write_bytes(data)
            os.utime(path, ns=(time, time))


if __name__ == "__main__":
    sys.exit(main())
