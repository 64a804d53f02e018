# SPDX-License-Identifier: MIT
"""JSON as a reader takes it that refuses what others pass over: an object that has a member twice. Gemini's arguments are
a protobuf Struct, and proto3 JSON refuses a repeated key (https://protobuf.dev/programming-guides/json/); elsewhere
readers differ about which of them counts."""
import json


def loads(text):
    """-> the value, and the names that an object of it has twice, those in calls' `arguments` included."""
    repeated = []

    def members(pairs):
        made = dict(pairs)
        if len(made) != len(pairs):
            names = [name for name, _ in pairs]
            repeated.extend(name for name in made if names.count(name) > 1)
        if isinstance(made.get("arguments"), str) and '"' in made["arguments"]:
            try:
                json.loads(made["arguments"], object_pairs_hook=members)
            except ValueError:
                pass  # the checkers' business
        return made

    return json.loads(text, object_pairs_hook=members), repeated
