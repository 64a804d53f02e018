#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Random logs (tests/support/raw_log.hpp) as log_bodies reads them back: is the request to each provider
accepted by its checker, and does it contain the content of the log, each thing once, in order and unchanged?

usage: random_logs_test.py LOG_BODIES [--seed S] [--count N] [--jobs J]

Exit 0 if all is well / 1 if not. The checkers are modules of this one process; --jobs starts as many, each with
its part of the seeds.
"""
import argparse
import collections
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import check_anthropic  # noqa: E402
import check_gemini  # noqa: E402
import check_openai  # noqa: E402
import check_responses  # noqa: E402

INTERRUPTED = "[tool result missing: interrupted]"
IN_RESULTS = {INTERRUPTED, "[no output]", "[image not sent]", "[an image, see below]"}
BY_THE_USER = {"[image not sent]", "[earlier conversation not available]", "[earlier conversation summarised]", "[conversation begins]",
               "[images of the tool results above]"}
MARK = re.compile(r"<[uasrt]\d+>")
PLAIN_ID = re.compile(r"[a-zA-Z0-9_-]+\Z")
PLAIN_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_-]{0,63}\Z")


# The content of a request for any provider: texts in order, and calls with their results.

class Said:
    def __init__(self):
        self.texts = []     # (role, text)
        self.calls = []     # [name, input, id, texts of the result, whether it is said to be an error]
        self.thoughts = []  # (text, signature)
        self.images = []    # data
        self.open = {}

    def call(self, name, given, ident=None):
        self.calls.append([name, given, ident, None, None])
        if ident is not None:
            self.open[ident] = self.calls[-1]

    def result(self, call, texts, error=None):
        call[3], call[4] = texts, error


def content(said, value, text_type):
    """Texts of a result's content; its images are noted."""
    if isinstance(value, str):
        return [value]
    texts = []
    for part in value:
        if part["type"] == text_type:
            texts.append(part["text"])
        elif part["type"] == "image":
            source = part["source"]
            said.images.append(source.get("data", source.get("url")))
        else:
            said.images.append(data_of(part["image_url"]))
    return texts


def data_of(url):
    return url.partition(";base64,")[2] if url.startswith("data:") else url


def said_to_anthropic(messages):
    said = Said()
    for message in messages:
        for block in message["content"]:
            kind = block["type"]
            if kind == "text":
                said.texts.append((message["role"][0], block["text"]))
            elif kind == "tool_use":
                said.call(block["name"], block["input"], block["id"])
            elif kind == "tool_result":
                said.result(said.open[block["tool_use_id"]], content(said, block["content"], "text"),
                            block.get("is_error", False))
            elif kind == "thinking":
                said.thoughts.append((block["thinking"], block["signature"]))
            elif kind == "image":
                content(said, [block], "text")
    return said


def said_to_chat(messages):
    said = Said()
    for message in messages:
        role = message["role"]
        if role == "system":
            continue
        if role == "tool":
            said.result(said.open[message["tool_call_id"]], content(said, message["content"], "text"))
            continue
        for part in message["content"] or []:
            if part["type"] == "text":
                said.texts.append((role[0], part["text"]))
            else:
                said.images.append(data_of(part["image_url"]["url"]))
        for call in message.get("tool_calls", []):
            said.call(call["function"]["name"], json.loads(call["function"]["arguments"]), call["id"])
    return said


def said_to_responses(items):
    said = Said()
    for item in items:
        kind = item["type"]
        if kind == "message":
            for part in item["content"]:
                if part["type"] == "input_image":
                    said.images.append(data_of(part["image_url"]))
                else:
                    said.texts.append((item["role"][0], part["text"]))
        elif kind == "function_call":
            said.call(item["name"], json.loads(item["arguments"]), item["call_id"])
        elif kind == "function_call_output":
            said.result(said.open[item["call_id"]], content(said, item["output"], "input_text"))
        elif kind == "reasoning":
            said.thoughts.append((None, item["id"]))
    return said


def said_to_gemini(contents):
    said = Said()
    waiting = []
    for turn in contents:
        role = "u" if turn["role"] == "user" else "a"
        for part in turn["parts"]:
            if part.get("thought"):
                said.thoughts.append((part["text"], part["thoughtSignature"]))
            elif "text" in part:
                said.texts.append((role, part["text"]))
            elif "inlineData" in part:
                said.images.append(part["inlineData"]["data"])
            elif "fileData" in part:
                said.images.append(part["fileData"]["fileUri"])
            elif "functionCall" in part:
                said.call(part["functionCall"]["name"], part["functionCall"]["args"])
                waiting.append(said.calls[-1])
            else:
                response = part["functionResponse"]
                said.images += [image["inlineData"]["data"] for image in response.get("parts", [])]
                (kind, value), = response["response"].items()
                texts = [value] if isinstance(value, str) else value
                said.result(waiting.pop(0), [text for text in texts if text], kind == "error")
    return said


def system_of_chat(body):
    first = body["messages"][:1]
    return first[0]["content"][0]["text"] if first and first[0]["role"] == "system" else ""


class Provider:
    """How to read one provider's requests, and its checker. `ids`: longest id, and what ends one."""

    def __init__(self, read, check, system=None, ids=None, apis=()):
        self.read, self.check, self.ids, self.apis = read, check, ids, apis
        self.system = system or (lambda body: body["system"] or "")


def gemini_system(body):
    return body["system"]["parts"][0]["text"] if body["system"] else ""


PROVIDERS = {
    "anthropic": Provider(said_to_anthropic, lambda b: check_anthropic.check(b["messages"], "strict", False, True),
                          ids=(64, ""), apis=("anthropic-messages",)),
    "openai-chat": Provider(said_to_chat, lambda b: check_openai.check(b["messages"], True), system_of_chat, (40, "")),
    "openai-responses": Provider(
        said_to_responses,
        lambda b: check_responses.check(b["messages"], True) + check_responses.check_system(b["system"]), ids=(64, "|"),
        apis=("openai-responses",)),
    "gemini": Provider(
        said_to_gemini, lambda b: check_gemini.check(b["messages"], "strict", True, b["model"])
        + check_gemini.check_system(b["system"]), gemini_system, apis=("google-generative-ai",)),
}


# The content of the log.

def cleaned(value):
    """In a form that may be sent: no lone surrogates. The number of U+FFFD for a run of bad bytes does not matter."""
    if isinstance(value, str):
        return re.sub("[\ud800-\udfff\ufffd]+", "\ufffd", value)
    if isinstance(value, list):
        return [cleaned(item) for item in value]
    if isinstance(value, dict):
        return {cleaned(key): cleaned(item) for key, item in value.items()}
    return value


def same_text(got, fact):
    got, wanted = cleaned(got).strip(), cleaned(fact["t"]).strip()
    return wanted in got if fact.get("c") else got == wanted


class Facts:
    """The facts of a log by kind; `extra` are those that may or may not be there."""

    def __init__(self, log):
        self.certain = log["certain"]
        self.facts, self.extra = log["facts"], log["doubtful"]
        everything = self.facts + self.extra
        by = collections.defaultdict(list)
        for fact in everything:
            by[fact["k"]].append(fact)
        self.texts = [fact for fact in self.facts if fact["k"] in "ua"]
        self.extra_texts = [fact for fact in self.extra if fact["k"] in "ua"]
        self.systems = [fact for fact in self.facts if fact["k"] == "s"]
        self.images = [fact for fact in self.facts if fact["k"] == "img"]
        self.all_systems = by["s"]
        self.thoughts = by["think"]
        self.calls = collections.defaultdict(list)  # by number
        for fact in by["call"]:
            self.calls[fact["n"]].append(fact)
        self.results = {}  # by the first text
        for fact in by["res"]:
            if fact["ts"]:
                self.results.setdefault(cleaned(fact["ts"][0]).strip(), fact)
        self.calls_of = collections.defaultdict(list)  # by id
        for fact in by["call"]:
            self.calls_of[fact["id"]].append(fact)
        self.failed = {fact["id"] for fact in by["failed"]}  # called by a failed answer: its result goes with it
        self.results_of = collections.defaultdict(list)
        for fact in by["res"]:
            self.results_of[fact["id"]].append(fact)


def number_of(given):
    if "n" in given:
        return given["n"]
    wrapped = given["input"]
    return int(wrapped[0] if isinstance(wrapped, list) else wrapped)


def as_object(value):
    return value if isinstance(value, dict) else {"input": value}


def fitted(ident, limit, end):
    plain = PLAIN_ID.match(ident)
    if plain and len(ident) <= limit:
        return ident
    data = ident.encode("utf-8", "surrogatepass")
    cut = min(limit, data.find(end.encode()) if end and end.encode() in data else limit)
    fit = "".join(chr(b) if PLAIN_ID.match(chr(b)) else "_" for b in data[:cut])
    return fit or "call"


class Conversation:
    """Compares the content of one request with its log."""

    def __init__(self, facts, provider, body):
        self.facts, self.provider, self.body = facts, provider, body
        self.errors = []
        self.said = provider.read(body["messages"])

    def error(self, *words):
        self.errors.append(" ".join(str(word) for word in words))

    def run(self):
        self.texts()
        self.system()
        self.calls()
        self.results()
        self.renamed()
        self.thoughts()
        self.images()
        return self.errors

    def texts(self):
        got = []
        for role, text in self.said.texts:
            if MARK.search(text) or text.startswith("Ran `ls`"):
                got.append((role, text))
            elif role != "u" or text not in BY_THE_USER:
                self.error("invented text:", role, repr(text))
        ways = {len(got)}  # how many texts may remain, going backwards
        for fact in reversed(self.facts.texts):
            matched = {at - 1 for at in ways if at and got[at - 1][0] == fact["k"] and same_text(got[at - 1][1], fact)}
            if not matched and not fact.get("o"):
                return self.error("text lost or out of order:", fact, "in", got[:max(ways)])
            ways = matched | ways if fact.get("o") else matched
        known = self.facts.extra_texts
        nowhere = [(role, text) for role, text in got[:min(ways)]
                   if not any(role == fact["k"] and same_text(text, fact) for fact in known)]
        if nowhere:
            self.error("text from nowhere:", nowhere)

    def system(self):
        text = cleaned(self.provider.system(self.body))
        if self.body["asked"] not in text:
            self.error("the host's system text is lost")
        at = 0
        for fact in self.facts.systems:
            found = text.find(cleaned(fact["t"]).strip(), at)
            if found < 0 and not fact.get("o"):
                self.error("system text lost or out of order:", fact)
            at = max(at, found)
        for mark in MARK.findall(text):
            if not any(mark in fact["t"] for fact in self.facts.all_systems):
                self.error("system text from nowhere:", mark)

    def calls(self):
        sent = collections.Counter()
        for name, given, _, _, _ in self.said.calls:
            number = number_of(given)
            sent[number] += 1
            facts = self.facts.calls.get(number)
            if not facts:
                self.error("call from nowhere:", number)
                continue
            if cleaned(as_object(facts[0]["in"])) != given:
                self.error("the arguments of call", number, "changed:", given)
            if PLAIN_NAME.match(facts[0]["name"]) and name != facts[0]["name"]:
                self.error("the name of call", number, "changed:", name)
            if sent[number] > len(facts):
                self.error("call", number, "is sent more often than it is in the log")
        if self.facts.certain:
            for number, facts in self.facts.calls.items():
                self.required(number, facts, sent[number])

    def required(self, number, facts, sent):
        """Whether a call must be sent, or must not."""
        if any(fact.get("o") for fact in facts):
            return
        ident = facts[0]["id"]
        results, others = self.facts.results_of[ident], self.facts.calls_of[ident]
        unanswerable = ident == "" or all(fact.get("ab") for fact in facts)
        if unanswerable and not results and sent:
            self.error("call", number, "was given up, and is sent")
        if not unanswerable and not sent:
            self.error("call", number, "is not sent")
        shared = len(others) > 1 or ident in self.facts.failed  # which call has the result: paired_logs_test.py
        if results and not shared and not any(fact.get("o") for fact in results):
            if not sent:
                self.error("call", number, "has a result, and is not sent")
            elif self.answer(number)[3] == [INTERRUPTED]:
                self.error("call", number, "has a result, and is said to be interrupted")

    def answer(self, number):
        return next(call for call in self.said.calls if number_of(call[1]) == number)

    def results(self):
        taken = collections.Counter()
        for _, given, _, texts, error in self.said.calls:
            number = number_of(given)
            facts = self.facts.calls.get(number)
            if texts is None:
                self.error("call", number, "has no result")
                continue
            if not facts:
                continue
            if texts == [INTERRUPTED]:
                if error is False:
                    self.error("the missing result of call", number, "is said to be a success")
                continue
            own = [text for text in texts if text not in IN_RESULTS and text.strip()]  # white space is not a fact
            fact = self.facts.results.get(cleaned(own[0]).strip()) if own else None
            if own and not fact:
                self.error("result from nowhere:", own)
            elif own and cleaned(own) != cleaned(fact["ts"]):
                self.error("the result of call", number, "changed:", own)
            elif own and fact["id"] != facts[0]["id"]:
                self.error("call", number, "has the result of", fact["id"])
            elif own and error is not None and error != bool(fact.get("e")):
                self.error("the result of call", number, "failed, or not, against the log")
            elif not own and not any(self.may_be_empty(result) for result in self.facts.results_of[facts[0]["id"]]):
                self.error("call", number, "has an empty result from nowhere")
            if own:
                taken[own[0]] += 1
                if fact and taken[own[0]] > self.copies(fact):
                    self.error("a result is sent twice:", own[0])

    @staticmethod
    def may_be_empty(fact):
        return not fact["ts"]

    def copies(self, fact):
        return sum(other["ts"] == fact["ts"] for other in self.facts.results_of[fact["id"]])

    def renamed(self):
        """Taken ids get a suffix, in order; the others stay unchanged as far as the provider allows."""
        if not self.provider.ids:
            return
        limit, end = self.provider.ids
        taken = set()
        for _, given, ident, _, _ in self.said.calls:
            facts = self.facts.calls.get(number_of(given))
            if not facts:
                continue
            wanted = fitted(facts[0]["id"], limit, end)
            base, again = wanted[:limit - 16], 1
            while wanted in taken:
                again += 1
                wanted = "%s_again%d" % (base, again)
            if ident != wanted:
                self.error("call", number_of(given), "has id", ident, "and not", wanted)
            taken.add(ident)

    def thoughts(self):
        for text, signature in self.said.thoughts:
            def fits(fact):
                same = signature in fact["sig"] if text is None else (text, signature) == (fact["t"], fact["sig"])
                known = fact["api"] in ("", "unknown") or fact["api"] in self.provider.apis
                return same and known and (not self.body["model"] or fact["model"] in ("", self.body["model"]))
            if not any(fits(fact) for fact in self.facts.thoughts) or not signature:
                self.error("thinking that is not for this model, or changed:", text, signature)

    def images(self):
        sent = collections.Counter(self.said.images)
        if not self.body["images"] and sent:
            self.error("images for a model that takes none")
        wanted = collections.Counter(fact["d"] for fact in self.facts.images if fact.get("must") and not fact.get("o"))
        for data, times in wanted.items():
            if self.body["images"] and sent[data] < times:
                self.error("image lost:", data)


def check(log):
    """The faults in the requests of one log."""
    facts = Facts(log)
    for name, body in log["bodies"].items():
        provider = PROVIDERS[name]
        if body["messages"]:
            faults = provider.check(body)
            if faults and not (name == "openai-chat" and is_only_system(body)):
                yield name, "refused: %s" % (faults[:3],)
                continue
        for error in Conversation(facts, provider, body).run():
            yield name, error


def is_only_system(body):
    return [message["role"] for message in body["messages"]] == ["system"]


def run(program, seed, count):
    """Checks this many logs; prints the faults and the totals."""
    seen, wrong = collections.Counter(), 0
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "--seed", str(seed), "--count", str(count), "--folder", folder]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as logs:
            for line in logs.stdout:
                log = json.loads(line)
                seen["logs"] += 1
                seen["uncertain"] += not log["certain"]
                seen["damaged"] += bool(log["damage"])
                seen.update("with " + kind for kind in set(log["damage"]))
                seen.update(log["format"] for _ in [0])
                seen["requests"] += sum(bool(body["messages"]) for body in log["bodies"].values())
                seen["facts"] += len(log["facts"])
                for name, error in check(log):
                    wrong += 1
                    if wrong <= 20:
                        print("seed %d, %s: %s" % (log["seed"], name, error))
    if logs.returncode or seen["logs"] != count:
        print("log_bodies ended with %s after %d logs" % (logs.returncode, seen["logs"]))
        wrong += 1
    print("seeds %d to %d: %s; %d faults" % (seed, seed + count - 1,
                                            ", ".join("%d %s" % (n, what) for what, n in sorted(seen.items())), wrong))
    return wrong


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program")
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--count", type=int, default=2000)
    arguments.add_argument("--jobs", type=int, default=1)
    given = arguments.parse_args()
    if given.jobs == 1:
        return 1 if run(given.program, given.seed, given.count) else 0
    share = -(-given.count // given.jobs)
    parts = [(given.seed + i, min(share, given.count - i)) for i in range(0, given.count, share)]
    running = [subprocess.Popen([sys.executable, "-B", __file__, given.program, "--seed", str(seed), "--count", str(n)])
               for seed, n in parts]
    return max(abs(part.wait()) for part in running)


if __name__ == "__main__":
    sys.exit(main())
