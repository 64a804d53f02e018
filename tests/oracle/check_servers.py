#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Independent checker: does a server that speaks OpenAI's Chat Completions accept a `messages` array?

usage: check_servers.py SERVER FILE [FILE...]   ('-' = stdin); SERVER: openai, azure, deepseek, mistral, groq, llama-cpp,
vllm, ollama

FILE holds a JSON array, or an object with key "messages". Exit 0 valid / 1 invalid / 2 unreadable.

Every server has the rules of check_openai.py (--strict). RULES has the rules of each beside them: a code, the servers, and
the sources that say that a real server refuses this. A rule is a function that yields (index, text) for each fault. An
unknown model is taken for the one that refuses most: llama-cpp and vllm run the model's chat template, so their rules are
those of the strictest common templates.
"""
import base64
import json
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import check_openai  # noqa: E402

SERVERS = ("openai", "azure", "deepseek", "mistral", "groq", "llama-cpp", "vllm", "ollama")
RULES = []


def rule(code, servers, *sources):
    def add(function):
        RULES.append((code, servers.split(), sources, function))
        return function
    return add


def calls_of(message):
    return message.get("tool_calls") or []


@rule("STRING", "azure deepseek groq vllm llama-cpp",
      "https://github.com/danny-avila/LibreChat/issues/3111",        # azure: "expected a string, but got an array instead"
      "https://github.com/chathub-dev/chathub/issues/921",           # azure: "is not of type 'string'"
      "https://github.com/lastmile-ai/mcp-agent/issues/25",          # deepseek: "invalid type: sequence, expected a string"
      "https://github.com/QwenLM/qwen-code/pull/2320",               # deepseek: content must be a string
      "https://github.com/OpenHands/OpenHands/issues/4643",          # groq: role:system, "value must be a string"
      "https://github.com/CherryHQ/cherry-studio/issues/3307",       # groq: role:tool, "value must be a string"
      "https://github.com/BerriAI/litellm/pull/30475",               # vllm: "Input should be a valid string"
      "https://github.com/ggml-org/llama.cpp/issues/14353")          # llama.cpp: a list is read otherwise than a string
def string(messages, _):
    for i, message in enumerate(messages):
        content = message.get("content")
        if message["role"] != "user" and not isinstance(content, str) and not (content is None and calls_of(message)):
            yield i, "content of %s must be a string" % message["role"]


@rule("USERSTRING", "azure deepseek groq vllm llama-cpp",
      "https://github.com/cline/cline/issues/230",                   # deepseek: messages[1], the user's
      "https://github.com/chathub-dev/chathub/issues/921",           # azure: 'messages.1.content'
      "https://github.com/browser-use/browser-use/issues/54",        # groq: "message[4].content must be a string"
      "https://github.com/OpenGVLab/InternVL/issues/726",            # vllm: can only concatenate str (not "list") to str
      "https://github.com/tmc/langchaingo/issues/667")               # llama.cpp: "type must be string, but is array"
def user_string(messages, images):
    """Arrays of the user are for models that read images."""
    for i, message in enumerate(messages):
        if message["role"] == "user" and not images and not isinstance(message.get("content"), str):
            yield i, "content must be a string"


@rule("NOIMAGE", "deepseek",
      "https://github.com/QwenLM/qwen-code/pull/2320",               # content is one string, and images become words
      "https://github.com/deepseek-ai/awesome-deepseek-integration/issues/23")
def no_image(messages, _):
    for i, message in enumerate(messages):
        if not isinstance(message.get("content"), (str, type(None))):
            yield i, "invalid type: sequence, expected a string"


@rule("ROLE", "deepseek",
      "https://github.com/earendil-works/pi/issues/1048",            # unknown variant `developer`
      "https://github.com/eclipse-theia/theia/issues/15144")
def role(messages, _):
    for i, message in enumerate(messages):
        if message["role"] not in ("system", "user", "assistant", "tool"):
            yield i, "unknown variant %r" % message["role"]


@rule("SUCCESSIVE", "deepseek llama-cpp vllm",
      "https://github.com/deepseek-ai/DeepSeek-R1/issues/21",        # does not support successive user or assistant messages
      "https://github.com/ggml-org/llama.cpp/issues/11402")
def successive(messages, _):
    for i in range(1, len(messages)):
        pair = {messages[i - 1]["role"], messages[i]["role"]}
        if pair in ({"user"}, {"assistant"}):
            yield i, "successive user or assistant messages"


@rule("FIRST", "deepseek llama-cpp vllm",
      "https://github.com/ChatGPTNextWeb/NextChat/issues/6343",      # The first message (except the system message) ... must be a user message
      "https://github.com/idiap/sdialog/issues/122",                 # llama.cpp: Conversation roles must alternate user/assistant
      "https://github.com/run-llama/llama_index/issues/11731")       # vllm: the same template
def first(messages, _):
    spoken = [(i, message["role"]) for i, message in enumerate(messages) if message["role"] != "system"]
    if spoken and spoken[0][1] != "user":
        yield spoken[0][0], "the first message must be the user's"


@rule("REASONING", "deepseek",
      "https://api-docs.deepseek.com/guides/thinking_mode",          # after tool calls in all later requests; else ignored
      "https://github.com/openai/openai-agents-python/issues/2155",  # Missing `reasoning_content` field in the assistant message
      "https://github.com/continuedev/continue/issues/11285",        # required on every assistant message; may be empty
      "https://github.com/earendil-works/pi/issues/3835")
def reasoning(messages, _):
    for i, message in enumerate(messages):
        if message["role"] == "assistant" and not isinstance(message.get("reasoning_content"), str):
            yield i, "Missing `reasoning_content` field"


@rule("MEMBER", "groq",
      "https://github.com/ServiceStack/llms/issues/17",              # property 'timestamp' is unsupported
      "https://github.com/janhq/jan/issues/8136")                    # property 'reasoning_content' is unsupported
def member(messages, _):
    known = {"role", "content", "name", "tool_calls", "tool_call_id"}
    for i, message in enumerate(messages):
        if set(message) - known:
            yield i, "property %r is unsupported" % sorted(set(message) - known)[0]


@rule("EXTRA", "mistral",
      "https://github.com/charmbracelet/crush/issues/1590",          # extra_forbidden: assistant, reasoning_content
      "https://github.com/BerriAI/litellm/issues/30882")             # extra_forbidden: other members
def extra(messages, _):
    known = {"role", "content", "name", "tool_calls", "tool_call_id", "prefix"}
    for i, message in enumerate(messages):
        if set(message) - known:
            yield i, "extra_forbidden: %s" % sorted(set(message) - known)[0]


@rule("ID9", "mistral",
      "https://github.com/mistralai/mistral-common/blob/main/src/mistral_common/protocol/instruct/validator.py",
      "https://github.com/langchain-ai/langchain/pull/24668")        # must be a-z, A-Z, 0-9, with a length of 9
def id9(messages, _):
    for i, message in enumerate(messages):
        ids = [call["id"] for call in calls_of(message)]
        ids += [message["tool_call_id"]] if message["role"] == "tool" else []
        for ident in ids:
            if not re.fullmatch("[a-zA-Z0-9]{9}", ident):
                yield i, "Tool call id was %s but must be a-z, A-Z, 0-9, with a length of 9." % ident


@rule("ORDER", "mistral",
      "https://github.com/mistralai/mistral-common/blob/main/src/mistral_common/protocol/instruct/validator.py",
      "https://github.com/BerriAI/litellm/issues/17761")             # Unexpected role 'user' after role 'tool'
def order(messages, _):
    after = {"system": {"user", "assistant", "system"}, "user": {"assistant", "system", "user"},
             "assistant": {"assistant", "user", "tool"}, "tool": {"assistant", "tool"}}
    for i in range(1, len(messages)):
        before, here = messages[i - 1]["role"], messages[i]["role"]
        if here not in after.get(before, set()):
            yield i, "Unexpected role '%s' after role '%s'" % (here, before)


@rule("LAST", "mistral",
      "https://github.com/mistralai/mistral-common/blob/main/src/mistral_common/protocol/instruct/validator.py",
      "https://github.com/0xPlaygrounds/rig/pull/1130")              # Expected last role User or Tool
def last(messages, _):
    if messages[-1]["role"] not in ("user", "tool") and len(messages) > 1:
        yield len(messages) - 1, "Expected last role User or Tool for serving but got %s" % messages[-1]["role"]


@rule("NEITHER", "mistral",
      "https://github.com/OpenHands/OpenHands/issues/8685")          # either content or tool_calls, but not none
def neither(messages, _):
    for i, message in enumerate(messages):
        if message["role"] == "assistant" and not message.get("content") and not calls_of(message):
            yield i, "Assistant message must have either content or tool_calls, but not none."


@rule("ALTERNATE", "llama-cpp vllm",
      "https://github.com/ggml-org/llama.cpp/issues/19851",          # must alternate ... except for tool calls and results
      "https://github.com/openclaw/openclaw/issues/33177")
def alternate(messages, _):
    expected = "user"
    for i, message in enumerate(messages):
        if message["role"] == "user" or (message["role"] == "assistant" and not calls_of(message)):
            if message["role"] != expected:
                return (yield i, "conversation roles must alternate user and assistant roles")
            expected = "assistant" if expected == "user" else "user"


@rule("SYSTEMFIRST", "llama-cpp vllm",
      "https://github.com/ggml-org/llama.cpp/issues/20733",          # System message must be at the beginning.
      "https://github.com/joshuadavidthomas/opencode-agent-memory/issues/11")
def system_first(messages, _):
    for i, message in enumerate(messages):
        if i and message["role"] == "system":
            yield i, "System message must be at the beginning."


@rule("SINGLECALL", "llama-cpp vllm",
      "https://github.com/vllm-project/vllm/issues/25108",           # This model only supports single tool-calls at once!
      "https://docs.vllm.ai/en/latest/features/tool_calling.html")   # Llama 3: parallel tool calls are not supported
def single_call(messages, _):
    for i, message in enumerate(messages):
        if len(calls_of(message)) > 1:
            yield i, "This model only supports single tool-calls at once!"


@rule("PART", "llama-cpp vllm mistral groq ollama",
      "https://github.com/ggml-org/llama.cpp/issues/17700",          # unsupported content[].type
      "https://github.com/ollama/ollama/blob/main/openai/openai.go") # invalid message format
def part(messages, images):
    for i, message in enumerate(messages):
        content = message.get("content")
        for piece in content if isinstance(content, list) else []:
            if piece.get("type") not in (("text", "image_url") if images else ("text",)):
                yield i, "unsupported content[].type %r" % piece.get("type")


@rule("OLLAMAIMAGE", "ollama",
      "https://github.com/ollama/ollama/blob/main/openai/openai.go") # invalid image input: jpeg, jpg, png, webp in base64
def ollama_image(messages, _):
    for i, message in enumerate(messages):
        content = message.get("content")
        for piece in content if isinstance(content, list) else []:
            if piece.get("type") != "image_url":
                continue
            found = re.fullmatch(r"data:image/(?:jpeg|jpg|png|webp);base64,(.*)", piece["image_url"]["url"], re.S)
            try:
                base64.b64decode(found.group(1) if found else "!", validate=True)
            except ValueError:
                yield i, "invalid image input"


@rule("TOOLARRAY", "ollama",
      "https://github.com/ollama/ollama/blob/main/openai/openai.go") # each part of an array becomes a message of its own
def tool_array(messages, _):
    for i, message in enumerate(messages):
        if message["role"] in ("tool", "assistant", "system") and isinstance(message.get("content"), list):
            yield i, "an array in role %s becomes several messages without the name of the tool" % message["role"]


@rule("NAME", "openai azure deepseek mistral",
      "https://github.com/zed-industries/zed/issues/57531",          # deepseek: string does not match pattern
      "https://github.com/mistralai/mistral-common/blob/main/src/mistral_common/protocol/instruct/validator.py",
      "https://platform.openai.com/docs/guides/function-calling")
def name(messages, _):
    for i, message in enumerate(messages):
        for call in calls_of(message):
            if not re.fullmatch("[a-zA-Z0-9_-]{1,64}", call["function"]["name"]):
                yield i, "string does not match pattern '^[a-zA-Z0-9_-]+$'"


def check(server, messages, images=True):
    """The faults as (code, index, text). `images`: the model reads images."""
    faults = check_openai.check(messages, True)
    if any(code == "SHAPE" for code, _, _ in faults):
        return faults
    for code, servers, _, function in RULES:
        if server in servers:
            faults += [(code, index, text) for index, text in function(messages, images)]
    return faults


def main():
    server, files = sys.argv[1], sys.argv[2:]
    bad = 0
    for file in files:
        try:
            with sys.stdin if file == "-" else open(file, encoding="utf-8") as stream:
                data = json.load(stream)
        except (OSError, ValueError) as error:
            print("%s: unreadable: %s" % (file, error), file=sys.stderr)
            return 2
        faults = check(server, data.get("messages") if isinstance(data, dict) else data)
        print("%s: %s" % (file, "INVALID" if faults else "ok"))
        for code, index, text in faults:
            print("  [%d] %s: %s" % (index, code, text))
        bad += bool(faults)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
