# SPDX-License-Identifier: MIT
"""What MSVC refuses, or takes for something else, as Microsoft's documentation says. Nobody here compiles with it; so the
sources that it would read are searched for these. Each rule names the page."""
import functools
import re

from patterns import TOKEN

PAGES = "https://learn.microsoft.com/en-us/cpp/"
WINTERNL = "https://learn.microsoft.com/en-us/windows/win32/api/winternl/"
KNOWLEDGE = "https://support.microsoft.com/en-us/help/143208"  # min and max of windef.h

# Other systems' bodies, and the components that are not built on Windows.
NOT_READ = re.compile(r".*_(posix|wasi)-inl\.hpp|include/sessionkit/(redis|postgres|mongo)/.*|src/(redis|postgres|mongo)\.cpp")

# The functions that the page of winternl.h lists, and that of ntsecapi.h (nf-ntsecapi-rtlgenrandom). For others, Microsoft's
# compiler has no declaration without the driver kit, so the seam declares them itself, in the namespace `ntdll`.
LISTED = ("NtClose|NtCreateFile|NtDeviceIoControlFile|NtNotifyChangeMultipleKeys|NtOpenFile|NtQueryInformationProcess|"
          "NtQueryInformationThread|NtQueryMultipleValueKey|NtQueryObject|NtQuerySystemInformation|NtQuerySystemTime|NtRenameKey|"
          "NtSetInformationKey|NtWaitForSingleObject|RtlAnsiStringToUnicodeString|RtlCharToInteger|RtlConvertSidToUnicodeString|"
          "RtlFreeAnsiString|RtlFreeOemString|RtlFreeUnicodeString|RtlInitString|RtlInitUnicodeString|RtlIsNameLegalDOS8Dot3|"
          "RtlLocalTimeToSystemTime|RtlNtStatusToDosError|RtlTimeToSecondsSince1970|RtlUnicodeStringToAnsiString|"
          "RtlUnicodeStringToOemString|RtlUnicodeToMultiByteSize|RtlUniform|RtlGenRandom")

# name, what is searched for in the code (without comments and the text of literals), the page
RULES = [(name, re.compile(pattern, re.MULTILINE), page if "://" in page else PAGES + page) for name, pattern, page in [
    ("an attribute of GCC", r"\b__attribute__\b", "cpp/attributes"),
    ("an attribute of GCC in brackets", r"\[\[\s*(using\s+)?(gnu|clang)\s*:", "error-messages/compiler-warnings/c5030"),
    ("a function of GCC", r"\b__(builtin|sync|atomic)_\w+", "intrinsics/compiler-intrinsics"),
    ("a statement as an expression", r"\(\s*\{[^{}]*;", "cpp/primary-expressions"),
    ("a member's name in braces, which needs C++20", r"[{,]\s*\.\s*[A-Za-z_]\w*\s*(=(?!=)|\{)",
     "overview/visual-cpp-language-conformance"),
    ("a member's name and a colon in braces", r"[{,]\s*(?!(?:public|private|protected|default|enum)\b)[A-Za-z_]\w*\s*:(?!:)",
     "overview/visual-cpp-language-conformance"),
    ("an array without elements", r"\b(bool|char|short|int|long|unsigned|float|double|byte|\w+_t)\s+\w+\s*\[\s*0\s*\]",
     "error-messages/compiler-errors-1/compiler-error-c2466"),
    ("a type of POSIX", r"\b(ssize_t|off64_t|pid_t|mode_t|uid_t|gid_t|uint|ulong)\b", "c-runtime-library/standard-types"),
    ("a function of POSIX", r"(?<![.>])\b(strn?casecmp|localtime_r|gmtime_r|timegm|strtok_r|v?asprintf|memmem|memrchr|stpcpy|strndup|"
     r"mkdtemp|mkstemp|setenv|unsetenv|usleep|nanosleep|ftruncate|pread|pwrite)\s*\((?!int|std)",
     "c-runtime-library/reference/crt-alphabetical-function-reference"),
    ("a call of the system by the name of POSIX", r"(?<![\w>])::\s*(open|close|read|write|lseek|fsync|fdatasync|fork|getpid|getppid|"
     r"getuid|geteuid|kill|waitpid|unlink|rmdir|mkdir|fstat|stat|lstat|access|chmod|chdir|getcwd|isatty|dup2?|pipe|execvp?|mmap|"
     r"munmap|flock|fcntl|ioctl|sleep)\s*\(", "c-runtime-library/reference/crt-alphabetical-function-reference"),
    ("a function of ntdll that winternl.h lacks", rf"(?<!ntdll::)(?<!NTAPI )\b(?!(?:{LISTED})\b)(?:Nt|Zw|Rtl|Ldr)[A-Z]\w*\s*\(",
     WINTERNL),
    ("a name of the driver kit", r"\b(FILE_FS_\w+_INFORMATION|FileFs\w+Information|FS_INFORMATION_CLASS)\b", WINTERNL),
    ("a header of GCC or POSIX", r"^\s*#\s*include\s*<(bits/.*|ext/.*|sys/.*|x86intrin\.h|unistd\.h|strings\.h|cxxabi\.h|"
     r"endian\.h|byteswap\.h|pthread\.h|dirent\.h|poll\.h)>", "standard-library/cpp-standard-library-header-files"),
    ("a named list of a macro's arguments", r"^\s*#\s*define\s+\w+\([^)]*\w\s*\.\.\.\s*\)", "preprocessor/variadic-macros"),
    ("a comma before ##, which two preprocessors read in two ways", r",\s*##\s*__VA_ARGS__",
     "preprocessor/preprocessor-experimental-overview"),
    ("a directive of GCC", r"^\s*#\s*(warning|include_next|ident|assert)\b", "preprocessor/preprocessor-directives"),
    ("a word for an operator", r"\b(and|or|not|xor|bitand|bitor|compl|and_eq|or_eq|xor_eq|not_eq)\b",
     "cpp/logical-negation-operator-exclpt"),
    ("typeof, which is C only", r"\b(__typeof__|__typeof|typeof|__auto_type)\b", "c-language/typeof-c"),
    ("a number of 128 bits", r"\b(__int128(_t)?|__uint128_t|__float128|_Float\d+x?)\b", "cpp/data-type-ranges"),
    ("a variable of a thread by GCC's word", r"\b__thread\b", "parallel/thread-local-storage-tls"),
    ("__extension__, which is GCC's", r"\b__extension__\b", "cpp/keywords-cpp"),
    ("a jump to an address", r"\bgoto\s*\*", "cpp/goto-statement-cpp"),
    ("a number by GCC's macro", r"\b__(CHAR_BIT|SIZEOF_\w+|BYTE_ORDER|ORDER_\w+_ENDIAN|\w+_(MAX|MIN|WIDTH|TYPE))__(?!\w)",
     "preprocessor/predefined-macros"),
    ("a range of cases", r"\bcase\b[^:;?{}]*\.\.\.", "cpp/switch-statement-cpp"),
    ("a condition without its second part", r"\?\s*:(?!:)", "cpp/conditional-operator-q"),
    ("an instruction of the processor", r"\b(asm|__asm__)\b\s*(volatile|__volatile__)?\s*\(", "assembler/inline/inline-assembler"),
    ("the name of a function by GCC's macro", r"\b__PRETTY_FUNCTION__\b", "preprocessor/predefined-macros"),
    ("__cplusplus without _MSVC_LANG", r"^(?!.*_MSVC_LANG).*\b__cplusplus\b", "build/reference/zc-cplusplus"),
    ("a macro of windows.h for a name", r"\b(small|hyper)\b", "https://learn.microsoft.com/en-us/windows/win32/midl/small"),
]]
# Only in what a program includes after <windows.h>; the bodies refuse these macros.
MIN_MAX = re.compile(r"(?<![\w(])(?:std\s*::\s*)?\b(?:min|max)\s*\(|::\s*(?:min|max)\s*\(")
LONGEST_LITERAL, LONGEST_TEXT = 16_380, 65_535  # bytes: of one literal, and of those beside each other
LITERAL_PAGE = PAGES + "error-messages/compiler-errors-1/compiler-error-c2026"
TEXT_PAGE = PAGES + "error-messages/compiler-errors-1/fatal-error-c1091"
VERSION_PAGE = "https://learn.microsoft.com/en-us/windows/win32/winprog/using-the-windows-headers"
UTF8_PAGE = PAGES + "build/reference/utf-8-set-source-and-executable-character-sets-to-utf-8"

# The macros of MSVC for x86-64, with C++17.
MACROS = {"_MSC_VER": 1929, "_WIN32": 1, "_WIN64": 1, "_M_X64": 100, "_MSVC_LANG": 201703, "__cplusplus": 199711,
          "__cpp_exceptions": 199711, "__cpp_rtti": 199711}
DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(?:[ \t]+(\d+)[ \t]*$)?", re.MULTILINE)
CONTINUED = re.compile(r"^[ \t]*#[ \t]*(?:el)?if\b(?:[^\n]*\\\n)+[^\n]*", re.MULTILINE)
WORD = re.compile(r"defined\s*\(?\s*(\w+)\s*\)?|__has_\w+\s*\([^)]*\)|([A-Za-z_]\w*)|(\d+)[uUlL]*")


def holds(condition, macros, own):
    """The value of a condition for MSVC. None: a program may define the macro or not."""
    if any(name not in own for name in re.findall(r"\bSESSIONKIT_\w+", condition)):
        return None

    def value(found):
        if found[1]:
            return str(int(found[1] in macros))
        if found[3]:
            return found[3]
        return str(macros.get(found[2], 0)) if found[2] else "0"

    text = WORD.sub(value, condition).replace("&&", " and ").replace("||", " or ")
    return bool(eval(re.sub(r"!(?!=)", " not ", text), {"__builtins__": {}}))  # numbers and operators only


def compiled(code):
    """The code that MSVC compiles: the lines that a condition leaves out are empty."""
    code = CONTINUED.sub(lambda found: found[0].replace("\\\n", " ") + "\n" * found[0].count("\n"), code)
    own, macros = {name for name, _ in DEFINE.findall(code)}, dict(MACROS)
    lines, states = [], []  # of each open condition: [is this part compiled, has one held for certain]
    for line in code.split("\n"):
        directive = re.match(r"\s*#\s*(if|ifdef|ifndef|elif|else|endif)\b(.*)", line)
        if directive:
            word, rest = directive[1], directive[2].split("//")[0].strip()
            if word in ("if", "ifdef", "ifndef"):
                known = holds(rest if word == "if" else f"{'!' * (word == 'ifndef')}defined({rest})", macros, own)
                states.append([known is not False, known is True])
            elif word == "elif":
                known = not states[-1][1] and holds(rest, macros, own)
                states[-1] = [known is not False, states[-1][1] or known is True]
            elif word == "else":
                states[-1] = [not states[-1][1], True]
            else:
                states.pop()
        is_read = all(state[0] for state in (states[:-1] if directive and directive[1] != "endif" else states))
        macros.update((name, int(value or 1)) for name, value in DEFINE.findall(line) if is_read)
        lines.append(line if is_read else "")
    return "\n".join(lines)


def bare(text):
    """The code without comments, and with empty literals. Lines stay where they are."""
    def blank(found):
        kept = '""' if found["text"] is not None or found["raw"] is not None else "' '" if found["char"] else ""
        if found["comment"] is None and not kept:
            return found[0]
        return kept + "\n" * found[0].count("\n")
    return TOKEN.sub(blank, text)


def literals(text):
    """(offset, bytes, follows another literal directly)"""
    before = None
    for found in TOKEN.finditer(text):
        if found["comment"] is not None:
            continue
        value = found["raw"] if found["raw"] is not None else found["text"]
        if value is not None:
            yield found.start(), value.encode(), before == "literal"
        before = "literal" if value is not None else "other"


def literal_faults(text):
    whole = 0
    for at, value, follows in literals(text):
        whole = whole + len(value) if follows else len(value)
        line = text.count("\n", 0, at) + 1
        if len(value) > LONGEST_LITERAL:
            yield line, f"a literal of {len(value)} bytes", LITERAL_PAGE
        if whole > LONGEST_TEXT:
            yield line, f"a text of {whole} bytes in literals", TEXT_PAGE


def code_faults(code, is_interface):
    for name, pattern, page in RULES + ([("min or max, which windows.h defines", MIN_MAX, KNOWLEDGE)] if is_interface else []):
        for found in pattern.finditer(code):
            yield code.count("\n", 0, found.start() + len(found[0]) - len(found[0].lstrip())) + 1, name, page


@functools.cache
def file_faults(text, is_interface):
    return [*code_faults(compiled(bare(text)), is_interface), *literal_faults(compiled(text))]


@functools.cache
def has_other_letters(text):
    return any(max(value, default=0) > 127 for _, value, _ in literals(text))


def setting_faults(root, texts):
    """Three things that a program must do, and that the library demands in words if it is not done."""
    base = (root / "include/sessionkit/detail/base/src.hpp").read_text(encoding="utf-8")
    if "#if defined(min) || defined(max)" not in base:
        yield f"msvc: include/sessionkit/detail/base/src.hpp does not refuse the macros min and max ({KNOWLEDGE})"
    header = texts.get("include/sessionkit/detail/base/windows_header.hpp", "")
    if "#if _WIN32_WINNT < 0x0A00\n#error" not in header:
        yield f"msvc: windows_header.hpp does not demand the declarations of Windows 10 ({VERSION_PAGE})"
    other = [name for name, text in texts.items() if has_other_letters(text)]
    demands = "UTF-8" in "".join(re.findall(r"static_assert\([^;]*;", texts.get("include/sessionkit/detail/base/config.hpp", "")))
    if other and not demands:
        yield f"msvc: {other[0]} has a literal of more than ASCII, and config.hpp does not demand /utf-8 ({UTF8_PAGE})"


def check_msvc(root, _):
    files = [p for folder in ("include", "src") for p in sorted((root / folder).rglob("*")) if p.suffix in (".hpp", ".cpp")]
    texts = {str(path.relative_to(root)): path.read_text(encoding="utf-8") for path in files}
    texts = {name: text for name, text in texts.items() if not NOT_READ.fullmatch(name)}
    print(f"{len(texts)} files, {len(RULES) + 5} rules")
    for name, text in texts.items():
        is_interface = "/detail/" not in name and not name.endswith("-inl.hpp")
        for line, what, page in file_faults(text, is_interface):
            yield f"msvc: {name}:{line}: {what} ({page})"
    yield from setting_faults(root, texts)
