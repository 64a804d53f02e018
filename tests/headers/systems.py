# SPDX-License-Identifier: MIT
"""The seam: what belongs to one operating system is in the bodies of SEAM only. Other files include what is listed here and
nothing else, in the one spelling that INCLUDE reads; and their code has no name of a system."""
import functools
import re

from patterns import TOKEN

# The bodies for one system, and the header that brings <windows.h>. The name of a new body is added here.
SEAM = {f"include/sessionkit/{path}" for path in (
    "detail/base/file_access_windows-inl.hpp", "detail/base/file_ops_posix-inl.hpp", "detail/base/file_ops_wasi-inl.hpp",
    "detail/base/file_ops_windows-inl.hpp", "detail/base/file_status_windows-inl.hpp", "detail/base/lock_holder_posix-inl.hpp",
    "detail/base/native_name_windows-inl.hpp", "detail/base/random_bits_posix-inl.hpp", "detail/base/random_bits_windows-inl.hpp",
    "detail/base/sockets_posix-inl.hpp",
    "detail/base/standard_descriptors_posix-inl.hpp", "detail/base/standard_descriptors_windows-inl.hpp",
    "detail/base/system_fault_posix-inl.hpp", "detail/base/system_fault_windows-inl.hpp",
    "detail/base/text_memory_posix-inl.hpp", "detail/base/text_memory_windows-inl.hpp", "detail/base/windows_header.hpp",
    "testing/detail/child_process_posix-inl.hpp", "testing/detail/child_process_windows-inl.hpp")}
PICKS = {f"include/sessionkit/{path}" for path in ("detail/base/src.hpp", "testing/src.hpp")}  # include the bodies of SEAM

# Names of a system that other files may use, and why.
ALLOWED_USES = [(re.compile(f"include/sessionkit/{path}"), re.compile(names), why) for path, names, why in (
    (r"(detail/base|testing)/src\.hpp", r"_WIN32|_WIN32_WINNT|__wasi__", "picks the bodies of the seam and refuses what they cannot use"),
    (r"detail/base/config\.hpp", r"_WIN32|__(linux|APPLE|FreeBSD|wasi)__", "refuses a system that the seam has no body for"),
    (r"src(_\w+)?\.hpp", r"__wasi__", "a part that needs files may refuse WASI"),
    (r"detail/base/mutex\.hpp", r"__wasi__|_REENTRANT", "the standard library has no mutex without threads"),
    (r"detail/base/(file_ops|exact_names)\.hpp", r"pread|pwrite|unlink", "FileOps and what wraps it have functions of these names"),
    (r"detail/base/last_byte\.hpp", r"__linux__|::memrchr", "a loop that reads logs backwards has it inline"))]

# Headers that are the same everywhere. Not here: <cerrno>, <csignal>, <clocale>, and those that open files themselves.
STANDARD = set("""
    algorithm any array atomic bitset cassert cctype cfloat charconv chrono cinttypes climits cmath complex condition_variable
    cstdarg cstddef cstdint cstdio cstdlib cstring ctime cwchar cwctype deque exception forward_list functional future
    initializer_list iterator limits list locale map memory memory_resource mutex new numeric optional queue random ratio
    regex set shared_mutex sstream stack stdexcept string string_view system_error thread tuple type_traits typeindex typeinfo
    unordered_map unordered_set utility valarray variant vector version emmintrin.h cpuid.h""".split())
# Headers of other libraries, and the part of the tree that may include them.
LIBRARIES = [(re.compile(name), re.compile(f"include/sessionkit/{where}")) for name, where in (
    (r"nlohmann/json\.hpp", r"json\.hpp"), (r"fmt/\w+\.h", r"detail/base/format_text-inl\.hpp"),
    (r"sqlite3\.h", r"sqlite/detail/.*"), (r"hiredis/\w+\.h", r"redis/detail/.*"), (r"libpq-fe\.h", r"postgres/detail/.*"),
    (r"(mongoc/mongoc|bson/bson)\.h", r"mongo/detail/.*"))]

SPLICE = re.compile(r"\\[ \t]*\n")
DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(\w*)[ \t]*(.*?)[ \t]*$", re.MULTILINE)
DIRECTIVES = {"if", "ifdef", "ifndef", "elif", "else", "endif", "define", "undef", "error"}
INCLUDE = re.compile(r"<([\w./-]+)>")
HEADER_NAME = re.compile(r"^([ \t]*#[ \t]*\w+)[ \t]*<[^>\n]*>", re.MULTILINE)
# Names with `_` in front that belong to compilers and processors, and not to a system.
OF_COMPILERS = re.compile(r"_mm_\w+|__m128i|__SSE2__|__builtin_\w+|__get_cpuid|__x86_64__|__attribute__|__GNUC__|__clang\w*__|"
                          r"__cplusplus|__cpp_\w+|_MSC_VER|_MSVC_LANG|_GLIBCXX_RELEASE|_(bson|mongoc_client|mongoc_uri)_t")
NAMES = re.compile(r"""
    (?<!\w)_\w+                                        # the system's own, such as _WIN32 and __errno_location
  | (?<![\w>])::\s*\w+                                 # of the global namespace, such as ::open
  | (?<![\w/\#])import(?:[ \t]*[<"]|[ \t]+\w)          # as C++20 includes a header
  | \b(?:extern|asm|errno|FILE|HANDLE|DWORD|timespec|timeval)\b
  | \bE(?!OF\b)[A-Z][A-Z0-9]+\b                        # numbers of errors
  | \b(?:O|AT|S|F|LOCK|SEEK|CLOCK|PROT|MAP|MSG|SOCK|SO|AF|GENERIC|FILE|ERROR|STATUS)_[A-Z]\w*
  | \b(?:SIG|POLL)[A-Z]+\b
  | \b(?:pid|uid|gid|mode|off|off64|dev|ino|socklen|ssize|sigset)_t\b | \bpthread_\w+
  | (?<![\w.>:])(?:std\s*::\s*)?(?:fopen|freopen|tmpfile|tmpnam|getenv|signal|raise)\s*\(
  | \bstd\s*::\s*(?:(?:system|rename)\s*\(|remove\s*\((?:[^(),]|\((?:[^()]|\([^()]*\))*\))*\))  # not <algorithm>'s remove
  | (?<![\w.>:])(?:f(?:ileno|dopen|sync|datasync|truncate)|p(?:open|close|read|write)|lseek|unlink|rmdir|dup2?|mk[sd]temp|realpath|
      get[pug]id|gete[ug]id|getcwd|chdir|isatty|u?sleep|nanosleep|sysconf|secure_getenv|(?:un)?setenv|strerror_r|memrchr|
      clock_gettime|(?:gm|local)time_r|sched_yield)\s*\(    # functions that standard headers may bring
  | \#\#|%:|\?\?[=/]|\\                                # other spellings of names and directives""", re.VERBOSE)


def bare(text):
    """The code without comments, and with empty literals. Continued lines are one line."""
    def blank(found):
        if found["comment"] is not None:
            return " "
        return '""' if found["text"] is not None or found["raw"] is not None or found["char"] else found[0]
    return TOKEN.sub(blank, SPLICE.sub("", text))


def include_fault(root, path, name):
    """Why a file outside the seam may not include a header. None: it may."""
    if name.startswith("sessionkit/"):
        target = f"include/{name}"
        if target in SEAM and path not in PICKS:
            return f"includes <{name}>, which is for the seam"
        is_ours = target.endswith(".hpp") and ".." not in name and "/./" not in name and (root / target).is_file()
        return None if is_ours else f"includes <{name}>, which is no header of the library"
    if name in STANDARD or any(library.fullmatch(name) and where.fullmatch(path) for library, where in LIBRARIES):
        return None
    return f"includes <{name}>"


def is_allowed(path, name):
    return any(where.fullmatch(path) and names.fullmatch(name) for where, names, _ in ALLOWED_USES)


@functools.lru_cache(maxsize=None)
def uses_of(text):
    """(names of included headers, directives in another spelling, names of a system) of a file."""
    code, included, others = bare(text), [], []
    for word, rest in DIRECTIVE.findall(code):
        header = INCLUDE.fullmatch(rest)
        if word == "include" and header:
            included.append(header[1])
        elif word not in DIRECTIVES and (word, rest) not in (("pragma", "once"), ("", "")):
            others.append(f"#{word} {rest}")
    found = {re.sub(r"\s|\($", "", use[0]) for use in NAMES.finditer(HEADER_NAME.sub(r"\1", code))}
    return included, others, sorted(name for name in found if not OF_COMPILERS.fullmatch(name))


def faults_in(root, path, text):
    """What a file outside the seam has that belongs there."""
    included, others, names = uses_of(text)
    yield from filter(None, (include_fault(root, path, name) for name in included))
    yield from (f"has {other}" for other in others)
    yield from (f"uses {name}" for name in names if not is_allowed(path, name))


def check_systems(root, _):
    """So that another system needs no more than other bodies."""
    for path in sorted(SEAM):
        if not (root / path).is_file():
            yield f"system: {path} is listed in tests/headers/systems.py and does not exist"
    files = sorted(p for folder in ("include", "src") for p in (root / folder).rglob("*") if p.is_file())
    print(f"{len(files)} files, {len(SEAM)} of them in the seam")
    for path, file in ((file.relative_to(root).as_posix(), file) for file in files):
        if file.suffix not in (".hpp", ".cpp"):
            yield f"system: {path} is neither a .hpp nor a .cpp"
        elif path not in SEAM:
            yield from (f"system: {path} {fault}" for fault in faults_in(root, path, file.read_text(encoding="utf-8")))
