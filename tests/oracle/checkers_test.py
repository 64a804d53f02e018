#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The checkers of this folder: each rule refuses only a body that breaks it, good bodies pass, and
accidents with good bodies are caught."""
import copy
import random
import re
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import check_anthropic  # noqa: E402
import check_gemini  # noqa: E402
import check_openai  # noqa: E402
import check_responses  # noqa: E402
import check_servers  # noqa: E402

PNG = "data:image/png;base64,QUJD"


def documented(module):
    """The codes in the list of rules at the top of a checker."""
    rules = module.__doc__[module.__doc__.index("Rules (codes)"):]
    return set(re.findall(r"^  ([A-Z0-9]{3,}) ", rules, re.M))


class Base(unittest.TestCase):
    def refused(self, cases, check):
        """Each case: the expected codes of its refusal, the body."""
        for codes, body in cases:
            with self.subTest(codes=codes, body=str(body)[:300]):
                self.assertEqual({code for code, _, _ in check(body)}, set(codes.split()))

    def accidents(self, body, check, at_least):
        """Pieces that are lost, doubled, swapped or emptied: few such bodies are still valid."""
        random_ = random.Random(7)
        tried = caught = 0
        for _ in range(400):
            bad = copy.deepcopy(body)
            at = random_.randrange(len(bad))
            kind = random_.choice(["drop", "double", "swap", "empty", "forget"])
            if kind == "drop":
                del bad[at]
            elif kind == "double":
                bad.insert(at, copy.deepcopy(bad[at]))
            elif kind == "swap":
                other = random_.randrange(len(bad))
                bad[at], bad[other] = bad[other], bad[at]
            else:
                key = random_.choice(sorted(bad[at]))
                if kind == "empty":
                    bad[at][key] = type(bad[at][key])()
                else:
                    del bad[at][key]
            if bad != body:
                tried += 1
                caught += bool(check(bad))
        self.assertGreaterEqual(caught / tried, at_least, "%d of %d" % (caught, tried))


def message(role, *parts, **more):
    return dict({"type": "message", "role": role, "content": list(parts)}, **more)


def said(role, text="x"):
    kind = "output_text" if role == "assistant" else "input_text"
    return message(role, {"type": kind, "text": text})


def call(ident="c", **more):
    return dict({"type": "function_call", "call_id": ident, "name": "read", "arguments": "{}"}, **more)


def output(ident="c", value="r", **more):
    return dict({"type": "function_call_output", "call_id": ident, "output": value}, **more)


def reasoning(ident="rs_1", **more):
    return dict({"type": "reasoning", "id": ident, "summary": [], "encrypted_content": "gAAA"}, **more)


U, A = said("user"), said("assistant")
RESPONSES = [U, reasoning(), A, call("a"), call("b"), output("b", [{"type": "input_image", "image_url": PNG}]),
             output("a"), U, reasoning("rs_2"), call("d"), output("d"), A,
             message("user", {"type": "input_text", "text": "t"},
                     {"type": "input_image", "image_url": "https://a/b.png", "detail": "auto"})]


class Responses(Base):
    CASES = [
        ("SHAPE", {}), ("SHAPE", []), ("SHAPE", [U, "x"]), ("SHAPE", [U, {"type": "tool_use"}]),
        ("SHAPE", [dict(U, name="x")]), ("SHAPE", [U, {"type": "function_call", "call_id": "c", "name": "n"}]),
        ("ROLE", [U, said("tool")]),
        ("CONTENT", [U, message("assistant", {"type": "input_text", "text": "x"})]),
        ("CONTENT", [message("user", {"type": "output_text", "text": "x"})]),
        ("CONTENT", [message("user", {"type": "text", "text": "x"})]), ("CONTENT", [message("user", None)]),
        ("CONTENT", [dict(U, content=None)]), ("CONTENT", [dict(U, phase="commentary")]),
        ("CONTENT", [U, dict(A, phase="loud")]), ("CONTENT", [message("user", {"type": "input_text"})]),
        ("IMAGE", [message("user", {"type": "input_image", "image_url": "QUJD"})]),
        ("IMAGE", [message("user", {"type": "input_image", "image_url": "data:image/tiff;base64,QUJD"})]),
        ("IMAGE", [message("user", {"type": "input_image", "image_url": "data:image/png;base64,QU=D"})]),
        ("IMAGE", [message("user", {"type": "input_image", "image_url": {"url": PNG}})]),
        ("IMAGE", [message("user", {"type": "input_image", "image_url": PNG, "detail": "huge"})]),
        ("IMAGE", [message("user", {"type": "input_image", "image_url": "data:image/jpeg;base64,iVBORw0KGgoAAAAN"})]),
        ("OWN", [U, {"type": "web_search_call", "id": "ws_1"}, A]),
        ("OWN", [U, {"type": "mcp_call", "server_label": "s", "name": "n", "arguments": "{}"}, A]),
        ("LENGTH", [said("user", "x" * 10485761)]),
        ("LENGTH", [U, call(), output(value="x" * 10485761)]),
        ("CALLID", [U, call("x" * 65), output("x" * 65)]), ("CALLID", [U, call(""), output("")]),
        ("CALLID", [U, call("a|b"), output("a|b")]),
        ("NAME", [U, call(name="a.b"), output()]), ("NAME", [U, call(name=""), output()]),
        ("NAME", [U, call(name="n" * 65), output()]), ("NAME", [U, call(name="n\n"), output()]),
        ("ARGS", [U, call(arguments={}), output()]), ("ARGS", [U, call(arguments="[1]"), output()]),
        ("ARGS", [U, call(arguments="{"), output()]),
        ("OUTPUT", [U, call(), output(value={"a": 1})]),
        ("OUTPUT", [U, call(), output(value=[{"type": "output_text", "text": "x"}])]),
        ("DUPCALL", [U, call("a"), output("a"), call("a")]),
        ("UNANSWERED", [U, call()]), ("UNANSWERED", [U, call("a"), call("b"), output("a")]),
        ("GROUP UNANSWERED", [U, call(), U]),
        ("ORPHAN", [U, output()]), ("ORPHAN UNANSWERED", [U, output(), call()]),
        ("DUPRES", [U, call(), output(), output()]),
        ("GROUP", [U, call(), U, output()]), ("GROUP", [U, call("a"), call("b"), output("a"), A, output("b")]),
        ("ITEMID", [U, reasoning("item_1"), A]), ("ITEMID", [U, reasoning("rs_1:2"), A]),
        ("ITEMID", [U, reasoning("rs_" + "x" * 62), A]), ("ITEMID", [U, dict(A, id="rs_1")]),
        ("ITEMID", [U, call(id=""), output()]), ("ITEMID", [U, reasoning(None), A]),
        ("DUPITEM", [U, reasoning(), A, U, reasoning(), A]),
        ("REASONING", [U, reasoning(encrypted_content=None), A]), ("REASONING", [U, reasoning(summary="x"), A]),
        ("REASONING", [U, reasoning(summary=[{"text": "x"}]), A]), ("REASONING", [U, reasoning(encrypted_content=""), A]),
        ("SHAPE", [U, {"type": "reasoning", "id": "rs_1", "encrypted_content": "g"}, A]),
        ("FOLLOWED", [U, reasoning()]), ("FOLLOWED", [U, reasoning(), U]),
        ("FOLLOWED", [U, reasoning(), reasoning("rs_2"), A]),
        ("UTF8", [said("user", "\ud83d")]), ("UTF8", [U, call(arguments='{"a":"\\ud83d"}'), output()]),
        ("ALT", [U, U]), ("ALT", [U, A, A]),
        ("EMPTY", [said("user", "")]), ("EMPTY", [said("user", " \n")]), ("EMPTY", [message("user")]),
        ("EMPTY", [U, call(), output(value=[])]),
    ]

    def test_good_bodies_pass(self):
        for body in (RESPONSES, [U], [{"role": "user", "content": "x"}], [U, A],
                     [U, dict(A, phase="commentary"), dict(A, phase="final_answer")],
                     [U, reasoning(), {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {}}, A],
                     [U, call("a"), A, call("b"), output("a"), output("b")]):
            self.assertEqual(check_responses.check(body, strict=True), [])
            self.assertEqual(check_responses.check(body), [])

    def test_every_rule_refuses(self):
        self.refused(self.CASES, lambda body: check_responses.check(body, strict=True))
        self.assertEqual([code for code, _, _ in check_responses.check_system("")], ["SYSTEM"])
        self.assertEqual([code for code, _, _ in check_responses.check_system({"parts": []})], ["SYSTEM"])
        self.assertEqual(check_responses.check_system("be brief") + check_responses.check_system(None), [])
        covered = {code for codes, _ in self.CASES for code in codes.split()} | {"SYSTEM"}
        self.assertEqual(covered, documented(check_responses))

    def test_some_bodies_are_refused_in_strict_mode_only(self):
        for body in ([U, U], [A, U], [said("user", " ")], [U, call("a|b"), output("a|b")],
                     [U, reasoning(encrypted_content=None), A], [U, call(arguments="[1]"), output()]):
            self.assertEqual(check_responses.check(body), [])

    def test_accidents_are_caught(self):
        self.accidents(RESPONSES, lambda body: check_responses.check(body, strict=True), 0.75)


def content(role, *parts):
    return {"role": role, "parts": list(parts)}


def text(words="x", **more):
    return dict({"text": words}, **more)


def use(name="read", sign="QUJD", **more):
    part = {"functionCall": dict({"name": name, "args": {}}, **more)}
    return dict(part, thoughtSignature=sign) if sign else part


def back(name="read", value=None, **more):
    return {"functionResponse": dict({"name": name, "response": {"output": "r"} if value is None else value}, **more)}


def inline(kind="image/png", data="QUJD"):
    return {"inlineData": {"mimeType": kind, "data": data}}


UC, MC = content("user", text()), content("model", text())
GEMINI = [UC, content("model", text(thought=True, thoughtSignature="QUJD"), use("read"), use("write", None)),
          content("user", back("read"), back("write", parts=[inline()])), UC, content("model", text(), use()),
          content("user", back()), MC, content("user", inline("image/heic"), {"fileData": {
              "mimeType": "image/png", "fileUri": "https://a/b.png"}}, text())]


def turn(part, *answers):
    return [UC, content("model", part), content("user", *answers)]


class Gemini(Base):
    CASES = [
        ("SHAPE", {}), ("SHAPE", []), ("SHAPE", ["x"]), ("SHAPE", [dict(UC, id=1)]), ("SHAPE", [{"parts": [text()]}]),
        ("ROLE", [content("assistant", text())]), ("ROLE", [UC, content("function", back())]),
        ("PARTS", [content("user")]), ("PARTS", [{"role": "user", "parts": "x"}]),
        ("PART", [content("user", {})]), ("PART", [content("user", dict(text(), **inline()))]),
        ("PART", [content("user", text(5))]), ("PART", [content("user", text(type="text"))]),
        ("PART", turn(use(arguments="{}"), back())), ("PART", turn(use(), back(content="r"))),
        ("EMPTY", [content("user", text(""))]), ("EMPTY", [content("user", text("\n"))]),
        ("SIDE UNANSWERED SIGNATURE", [content("user", use(sign=None))]),
        ("EMPTY", [UC, content("model", text("", thoughtSignature="QUJD")), UC]),
        ("SIDE", [content("user", {"executableCode": {"code": "1"}})]), ("PART", [UC, content("model", {"executableCode": 1}), UC]),
        ("IMAGE", [content("user", inline("image/jpeg", "iVBORw0KGgoAAAAN"))]),
        ("SIDE", [content("user", text(thought=True))]),
        ("SIDE ALT COUNT LAST", [UC, content("model", use()), content("model", back())]),
        ("NAME", turn(use("a b"), back("a b"))), ("NAME", turn(use("1a"), back("1a"))), ("NAME", turn(use(""), back(""))),
        ("NAME", turn(use("n" * 65), back("n" * 65))), ("NAME", turn(use("n\n"), back("n\n"))),
        ("ARGS", turn(use(args=[1]), back())), ("ARGS", turn(use(args="{}"), back())),
        ("RESPONSE", turn(use(), back(value="r"))), ("RESPONSE", turn(use(), back(value=["r"]))),
        ("RESPONSE", turn(use(), back(parts=[inline("image/heic")]))), ("RESPONSE", turn(use(), back(parts=[text()]))),
        ("IMAGE", [content("user", inline("image/gif"))]), ("IMAGE", [content("user", inline(data="n o"))]),
        ("IMAGE", [content("user", inline(data=""))]),
        ("IMAGE", [content("user", {"fileData": {"mimeType": "image/png", "fileUri": "http://a"}})]),
        ("IMAGE", [content("user", {"fileData": {"fileUri": "https://a"}})]),
        ("FIRST", [MC, UC]), ("FIRST", [content("model", use()), content("user", back())]),
        ("ALT", [UC, UC]), ("ALT", [UC, MC, MC, UC]),
        ("MIXED", [UC, content("model", use()), content("user", back(), text())]),
        ("COUNT", [UC, content("model", use(), use(sign=None)), content("user", back())]),
        ("COUNT", [UC, content("model", use()), UC]), ("COUNT", [UC, content("model", use()), content("user", back(), back())]),
        ("COUNT ALT ORPHAN", [UC, content("model", use(), use(sign=None)), content("user", back()), content("user", back())]),
        ("MATCH", turn(use("read"), back("write"))),
        ("MATCH", [UC, content("model", use("a"), use("b", None)), content("user", back("b"), back("a"))]),
        ("MATCH", turn(use(id="1"), back(id="2"))),
        ("ORPHAN", [content("user", back())]), ("ORPHAN", [UC, MC, content("user", back())]),
        ("UNANSWERED", [UC, content("model", use())]),
        ("THOUGHT", [UC, content("model", dict(use(), thought=True)), content("user", back())]),
        ("THOUGHT", [UC, content("model", text(thought="yes")), UC]),
        ("SIGNATURE", turn(use(sign=None), back())), ("SIGNATURE", turn(use(sign="not base64"), back())),
        ("SIGNATURE", turn(use(sign="QUJDR"), back())), ("SIGNATURE", [content("user", text(thoughtSignature="QUJD"))]),
        ("SIGNATURE", [UC, content("model", use(sign=None), use()), content("user", back(), back())]),
        ("UTF8", [content("user", text("\ud83d"))]), ("UTF8", turn(use(args={"a": "\ud83d"}), back())),
        ("LAST", [UC, MC]),
    ]

    def test_good_bodies_pass(self):
        for body in (GEMINI, [UC], [UC, content("model", use("a", id="1"), use("a", None, id="2")),
                                    content("user", back("a", id="1"), back("a", id="2"))]):
            self.assertEqual(check_gemini.check(body), [])
            self.assertEqual(check_gemini.check(body, "api"), [])
        self.assertEqual(check_gemini.check([UC, MC], allow_prefill=True), [])

    def test_every_rule_refuses(self):
        self.refused(self.CASES, check_gemini.check)
        for bad in ("be brief", {}, {"parts": []}, {"parts": [text("")]}, {"parts": [inline()]}):
            self.assertEqual([code for code, _, _ in check_gemini.check_system(bad)], ["SYSTEM"])
        self.assertEqual(check_gemini.check_system({"parts": [text()]}) + check_gemini.check_system(None), [])
        covered = {code for codes, _ in self.CASES for code in codes.split()} | {"SYSTEM"}
        self.assertEqual(covered, documented(check_gemini))

    def test_some_bodies_are_refused_in_strict_mode_only(self):
        for body in ([UC, UC], [content("user", text(" "))], turn(use(sign=None), back()) + [MC, UC]):
            self.assertEqual(check_gemini.check(body, "api"), [])
            self.assertNotEqual(check_gemini.check(body), [])

    def test_older_models_sign_nothing_and_take_no_images_of_tools(self):
        unsigned = turn(use(sign=None), back())
        for model in ("gemini-2.5-pro", "models/gemini-1.5-flash", "gemini-live-2.5-flash"):
            self.assertEqual(check_gemini.check(unsigned, model=model), [])
            self.assertNotEqual(check_gemini.check(turn(use(), back(parts=[inline()])), model=model), [])
        for model in ("", "gemini-3-pro-preview", "gemini-flash-latest", "gemini-22"):
            self.assertNotEqual(check_gemini.check(unsigned, model=model), [])

    def test_accidents_are_caught(self):
        self.accidents(GEMINI, check_gemini.check, 0.75)


class Older(Base):
    """The two older checkers."""

    def test_anthropic_refuses(self):
        def block(ident="1"):
            return {"type": "tool_use", "id": ident, "name": "n", "input": {}}

        def result(ident="1"):
            return {"type": "tool_result", "tool_use_id": ident, "content": "r"}

        user, answer = {"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}

        def u(*blocks):
            return {"role": "user", "content": list(blocks)}

        def a(*blocks):
            return {"role": "assistant", "content": list(blocks)}

        def image(data, kind="image/png"):
            return {"type": "image", "source": {"type": "base64", "media_type": kind, "data": data}}

        pdf = {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="}}
        server = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}
        found = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}
        self.refused([
            ("SHAPE", {}), ("SHAPE", []), ("SHAPE", [{"role": "system", "content": "s"}]), ("FIRST", [answer, user]),
            ("ALT", [user, user]), ("EMPTY", [u()]), ("EMPTY", [u({"type": "text", "text": " "})]), ("BLOCK", [u(block())]),
            ("DUPUSE", [user, a(block()), u(result()), a(block()), u(result())]), ("UNANSWERED", [user, a(block()), user]),
            ("ORPHAN", [u(result())]), ("DUPRES", [user, a(block()), u(result(), result())]),
            ("ORDER", [user, a(block()), u({"type": "text", "text": "t"}, result())]), ("LASTTEXT", [user, answer]),
            ("ERRTEXT", [user, a(block()), u(dict(result(), is_error=True, content=[image("iVBORw0KGgoAAAAN")]))]),
            ("IMAGE", [u(image("iVBORw0K\nGgoAAAAN"))]), ("IMAGE", [u(image("iVBORw0KGgoAAAAN", "image/jpeg"))]),
            ("IMAGE", [u(image("QUJD", "IMAGE/PNG"))]), ("IMAGE", [u(image("data:image/png;base64,QUJD"))]),
            ("IMAGE", [u({"type": "image", "source": {"type": "url", "url": "http://a/b.png"}})]),
            ("OWN", [u({"type": "document"})]), ("OWN", [u(dict(pdf, cache_control={"type": "ephemeral"}))]),
            ("OWN", [u({"type": "search_result", "source": "s", "title": "t", "content": []})]),
            ("OWN", [u({"type": "container_upload"})]), ("OWN", [user, a(dict(server, id="1"), dict(found, tool_use_id="1")), user]),
            ("SERVER", [user, a(server), user]), ("SERVER", [user, a(found), user]), ("SERVER", [user, a(found, server), user]),
            ("SERVER", [user, a(server, found), user, a(server, found), user]),
        ], check_anthropic.check)
        for body in ([u(pdf, image("QUJD"))], [user, a(server, found, {"type": "text", "text": "x"}), user],
                     [user, a(block()), u(dict(result(), content=[pdf, image("iVBORw0KGgoAAAAN")]))]):
            self.assertEqual(check_anthropic.check(body), [])

    def test_openai_refuses(self):
        def asked(*idents):
            return {"role": "assistant", "content": None, "tool_calls": [
                {"id": i, "type": "function", "function": {"name": "n", "arguments": "{}"}} for i in idents]}

        def tool(ident):
            return {"role": "tool", "tool_call_id": ident, "content": "r"}

        def said(*parts):
            return {"role": "user", "content": list(parts)}

        user = {"role": "user", "content": "a"}
        self.refused([
            ("SHAPE", []), ("SHAPE", [{"role": "model", "content": ""}]), ("CONTENT", [{"role": "user", "content": None}]),
            ("CALLS", [user, {"role": "assistant", "content": "x", "tool_calls": []}]), ("DUPCALL", [user, asked("1", "1"), tool("1")]),
            ("UNANSWERED", [user, asked("1", "2"), tool("1"), user]), ("ORPHAN", [user, tool("1")]),
            ("DUPRES", [user, asked("1"), tool("1"), tool("1")]), ("ALT", [user, user]),
            ("CALLS", [user, asked("x" * 41), tool("x" * 41)]),
            ("CALLS", [user, asked(*map(str, range(129)))] + [tool(str(i)) for i in range(129)]),
            ("IMAGE", [said({"type": "image_url", "image_url": {"url": "file:///b"}})]),
            ("IMAGE", [said({"type": "image_url", "image_url": {"url": "data:image/jpeg;base64,iVBORw0KGgoAAAAN"}})]),
            ("IMAGE", [said({"type": "input_audio", "input_audio": {"data": "QUJD", "format": "ogg"}})]),
            ("CONTENT", [said({"type": "document"})]),
        ], lambda body: check_openai.check(body, True))


def said_to(server):
    """A conversation that the server accepts."""
    ident, array = ("abcDEF123", "call_1")[server != "mistral"], server in ("openai", "mistral")
    content = (lambda text: [{"type": "text", "text": text}]) if array else (lambda text: text)
    messages = [{"role": "system", "content": content("be brief")}, {"role": "user", "content": content("hi")},
                {"role": "assistant", "content": None,
                 "tool_calls": [{"id": ident, "type": "function", "function": {"name": "ls", "arguments": "{}"}}]},
                {"role": "tool", "tool_call_id": ident, "content": content("a.txt")},
                {"role": "assistant", "content": content("a file")}, {"role": "user", "content": content("thanks")}]
    for message in messages:
        if server == "deepseek" and message["role"] == "assistant":
            message["reasoning_content"] = ""
    return messages


class Servers(unittest.TestCase):
    """Each rule of a server refuses a conversation that differs from an accepted one in one place."""

    def changed(self, server, code):
        messages = said_to(server)
        call = messages[2]["tool_calls"][0]
        if code in ("STRING", "TOOLARRAY"):
            messages[3]["content"] = [{"type": "text", "text": "a.txt"}]
        elif code in ("USERSTRING", "NOIMAGE"):
            messages[1]["content"] = [{"type": "text", "text": "hi"}]
        elif code == "ROLE":
            messages[0]["role"] = "developer"
        elif code == "SUCCESSIVE":
            messages.insert(2, messages[1])
        elif code in ("FIRST", "ALTERNATE"):
            messages.insert(1, {"role": "assistant", "content": "hello", "reasoning_content": ""})
        elif code == "REASONING":
            del messages[2]["reasoning_content"]
        elif code in ("MEMBER", "EXTRA"):
            messages[4]["reasoning_content"] = ""
        elif code == "ID9":
            call["id"] = messages[3]["tool_call_id"] = "call_1"
        elif code == "ORDER":
            del messages[4]
        elif code == "LAST":
            del messages[5]
        elif code == "NEITHER":
            messages[4]["content"] = ""
        elif code == "SYSTEMFIRST":
            messages.append(messages[0])
        elif code == "SINGLECALL":
            messages[2]["tool_calls"].append({**call, "id": "call_2"})
            messages.insert(4, {"role": "tool", "tool_call_id": "call_2", "content": "b.txt"})
        elif code == "PART":
            messages[1]["content"] = [{"type": "file", "file": {"file_id": "f"}}]
        elif code == "OLLAMAIMAGE":
            messages[1]["content"] = [{"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}]
        elif code == "NAME":
            call["function"]["name"] = "mcp.read"
        return messages

    def test_an_ordinary_conversation_is_accepted(self):
        for server in check_servers.SERVERS:
            for images in (True, False):
                with self.subTest(server=server, images=images):
                    self.assertEqual(check_servers.check(server, said_to(server), images), [])

    def test_each_rule_refuses(self):
        for code, servers, sources, _ in check_servers.RULES:
            self.assertTrue(sources and all(source.startswith("https://") for source in sources), code)
            for server in servers:
                with self.subTest(server=server, code=code):
                    images = code in ("OLLAMAIMAGE", "NOIMAGE", "PART")
                    refused = {each for each, _, _ in check_servers.check(server, self.changed(server, code), images)}
                    self.assertIn(code, refused)

    def test_every_server_has_a_rule(self):
        self.assertEqual(set(check_servers.SERVERS), {server for _, servers, _, _ in check_servers.RULES for server in servers})


if __name__ == "__main__":
    unittest.main(verbosity=2)
