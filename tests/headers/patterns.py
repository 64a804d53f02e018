# SPDX-License-Identifier: MIT
"""Texts are made of a pattern and values (detail/base/format_text.hpp): each pattern has a `{}` for each value."""
import re

CALLS = ("format_text", "make_error")
TOKEN = re.compile(r"""
    (?P<comment>//[^\n]*|/\*.*?\*/)
  | R"(?P<end>[^()\\\s]*)\((?P<raw>.*?)\)(?P=end)"
  | (?:u8|[uUL])?"(?P<text>(?:\\.|[^"\\\n])*)"
  | (?P<char>(?:u8|[uUL])?'(?:\\.|[^'\\\n])+')
  | (?P<name>[A-Za-z_]\w*)
  | (?P<number>\.?\d(?:'?[\w.])*)
  | (?P<other>\S)""", re.VERBOSE | re.DOTALL)


def tokens(text):
    """(kind, value, offset); a literal's value is its text between the quotes."""
    for found in TOKEN.finditer(text):
        if found["comment"] is not None:
            continue
        if found["raw"] is not None or found["text"] is not None:
            yield "literal", found["text"] if found["raw"] is None else found["raw"], found.start()
        else:
            kind = "name" if found["name"] else "other"
            yield kind, found[0], found.start()


def closes_template(all_tokens, at):
    """Where the list of types that opens at `<` is closed; None: it is no such list."""
    depth = 0
    for i in range(at, len(all_tokens)):
        kind, value, _ = all_tokens[i]
        depth += (value == "<") - (value == ">") if kind == "other" else 0
        if depth == 0:
            return i
        if kind == "literal" or (kind == "other" and value not in "<>,:*&"):
            return None
    return None


def arguments(all_tokens, at):
    """The arguments of the call whose `(` is at `at`, as lists of tokens; None: it is not closed."""
    out, depth, i = [[]], 0, at
    while i < len(all_tokens):
        kind, value, _ = all_tokens[i]
        if kind == "other" and value == "<" and (end := closes_template(all_tokens, i)) is not None:
            out[-1] += all_tokens[i:end + 1]
            i = end + 1
            continue
        if kind == "other" and value in "([{":
            depth += 1
        if kind == "other" and value in ")]}":
            depth -= 1
            if depth == 0:
                return out if out != [[]] else []
        if kind == "other" and value == "," and depth == 1:
            out.append([])
        elif i != at:
            out[-1].append(all_tokens[i])
        i += 1
    return None


def patterns_of(argument):
    """The patterns that an argument may be: one, or those of a choice between literals. None: it is no literal."""
    choice = [i for i, token in enumerate(argument) if token[:2] in (("other", "?"), ("other", ":"))]
    begin = choice[0] + 1 if choice else 0
    rest, out = argument[begin:], [""]
    for kind, value, _ in rest:
        if kind == "literal":
            out[-1] += value
        elif (kind, value) == ("other", ":"):
            out.append("")
        else:
            return None
    return out if rest else None


def places(pattern):
    """How many values a pattern takes; None: its braces do not match."""
    bare = pattern.replace("{{", "").replace("}}", "")
    fields = re.findall(r"\{(\d*)[^{}]*\}", bare)
    numbered = [int(field) for field in fields if field]
    if re.search(r"[{}]", re.sub(r"\{[^{}]*\}", "", bare)) or (numbered and len(numbered) != len(fields)):
        return None
    return max(numbered) + 1 if numbered else len(fields)


def calls(text):
    """(line, name, arguments) of each call that makes a text."""
    all_tokens = list(tokens(text))
    for i, (kind, value, offset) in enumerate(all_tokens[:-1]):
        if kind == "name" and value in CALLS and all_tokens[i + 1][1] == "(" and all_tokens[i + 1][0] == "other":
            found = arguments(all_tokens, i + 1)
            if found is not None:
                yield text.count("\n", 0, offset) + 1, value, found


def is_pack(argument):
    return [value for _, value, _ in argument[-3:]] == [".", ".", "."]


def check_patterns(root, _):
    literal = computed = 0
    for file in sorted(p for folder in ("include", "tools", "examples") for p in (root / folder).rglob("*.[hc]pp")):
        for line, name, found in calls(file.read_text(encoding="utf-8")):
            where = next((i for i, argument in enumerate(found) if patterns_of(argument)), None)
            if where is None or any(is_pack(argument) for argument in found[where + 1:]):
                computed += 1
                continue
            literal += 1
            values = len(found) - where - 1
            for pattern in patterns_of(found[where]):
                if places(pattern) != values:
                    wanted = "unmatched braces" if places(pattern) is None else f"places for {places(pattern)} values"
                    yield f"pattern: {file.relative_to(root)}:{line}: {name} has {wanted} and is given {values}"
    print(f"{literal} calls with a literal pattern, {computed} whose pattern is computed")
