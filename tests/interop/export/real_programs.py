# SPDX-License-Identifier: MIT
"""The real programs in a home that is not the user's: how each gets exported sessions, resumes them, and what it sends.
The only network is the loopback: everything else goes to a proxy that does not exist."""
import json
import subprocess

PROMPT = "And now the last question."
CLAUDE_MODEL = "claude-sonnet-4-5-20250929"


def environment(home, **more):
    dead = "http://127.0.0.1:9"
    return dict({"PATH": "/usr/bin:/bin", "HOME": str(home), "LANG": "C.UTF-8", "HTTP_PROXY": dead, "HTTPS_PROXY": dead,
                 "http_proxy": dead, "https_proxy": dead, "NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}, **more)


def run(arguments, env, work, timeout=120):
    done = subprocess.run(arguments, env=env, cwd=work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=timeout, check=False)
    return done.returncode, done.stdout.decode("utf-8", "replace")


class Program:
    """`bring` puts the exported files where the program finds them, `say` resumes the session with a prompt,
    and `left` is the file with the session."""

    def __init__(self, executable, provider, home, work):
        self.executable, self.provider, self.home, self.work = executable, provider, home, work
        self.address = "http://127.0.0.1:%d" % provider.server_address[1]

    def prepare(self, sessions):
        """Once, before the first session."""

    def place(self, root, session):
        for name, content in session["files"].items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")

    def resume(self, session):
        code, text = self.bring(session)
        return self.say(session, PROMPT) if code == 0 else (code, text)

    def bodies(self, ending):
        return [body for path, body in self.provider.requests if path.endswith(ending)]

    def sent_to(self, ending, member):
        """The last request with the prompt, or none."""
        found = [body for body in self.bodies(ending) if body.get("tools") and PROMPT in json.dumps(body.get(member))]
        return found[-1][member] if found else None


class ClaudeCode(Program):
    def bring(self, session):
        self.place(self.home / ".claude", session)
        return 0, ""

    def left(self, session):
        return self.home / ".claude" / next(iter(session["files"]))

    def say(self, session, prompt):
        env = environment(self.home, ANTHROPIC_BASE_URL=self.address, ANTHROPIC_API_KEY="sk-fake",
                          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1", DISABLE_TELEMETRY="1", DISABLE_AUTOUPDATER="1")
        return run([self.executable, "-p", prompt, "--resume", session["id"], "--model", CLAUDE_MODEL,
                    "--allowedTools", "Bash"], env, self.work)

    def sent(self):
        return self.sent_to("/messages", "messages")


class OpenCode(Program):
    def prepare(self, sessions):
        """All models of the sessions are answered by the provider on the loopback."""
        providers = {}
        for session in sessions:
            for message in json.loads(next(iter(session["files"].values())))["messages"]:
                made = message["info"].get("model") or message["info"]
                models = providers.setdefault(made["providerID"], {})
                models[made["modelID"]] = {"name": made["modelID"], "limit": {"context": 200000, "output": 8000},
                                           "reasoning": True, "attachment": True, "tool_call": True,
                                           "modalities": {"input": ["text", "image"], "output": ["text"]}}
        options = {"baseURL": self.address + "/v1", "apiKey": "sk-fake"}
        config = {"autoupdate": False, "share": "disabled", "permission": {"bash": "allow"}, "enabled_providers": list(providers),
                  "provider": {name: {"npm": "@ai-sdk/anthropic", "name": name, "options": options, "models": models}
                               for name, models in providers.items()}}
        folder = self.home / ".config" / "opencode"
        folder.mkdir(parents=True)
        (folder / "opencode.json").write_text(json.dumps(config))

    def call(self, *arguments):
        env = environment(self.home, XDG_DATA_HOME=str(self.home / "data"), XDG_CONFIG_HOME=str(self.home / ".config"),
                          OPENCODE_DISABLE_AUTOUPDATE="1", OPENCODE_DISABLE_MODELS_FETCH="1",
                          OPENCODE_DISABLE_DEFAULT_PLUGINS="1", OPENCODE_DISABLE_LSP_DOWNLOAD="1")
        return run([self.executable, *arguments], env, self.work, timeout=300)

    def bring(self, session):
        self.place(self.work, session)
        return self.call("import", next(iter(session["files"])))

    def left(self, session):
        return self.home / "data" / "opencode" / "opencode.db"

    def say(self, session, prompt):
        return self.call("run", "-s", session["id"], prompt)

    def sent(self):
        return self.sent_to("/messages", "messages")


class Codex(Program):
    def prepare(self, sessions):
        folder = self.home / ".codex"
        folder.mkdir()
        (folder / "config.toml").write_text(
            'model = "gpt-5.5"\nmodel_provider = "fake"\napproval_policy = "never"\n'
            'sandbox_mode = "danger-full-access"\ncheck_for_update_on_startup = false\n[analytics]\nenabled = false\n'
            '[model_providers.fake]\nname = "fake"\nbase_url = "%s/v1"\nwire_api = "responses"\n'
            'requires_openai_auth = false\n' % self.address)

    def bring(self, session):
        self.place(self.home / ".codex", session)
        return 0, ""

    def left(self, session):
        return self.home / ".codex" / next(iter(session["files"]))

    def say(self, session, prompt):
        return run([self.executable, "exec", "--skip-git-repo-check", "resume", session["id"], prompt],
                   environment(self.home, CODEX_HOME=str(self.home / ".codex")), self.work)

    def sent(self):
        return self.sent_to("/responses", "input")


class Pi(Program):
    def prepare(self, sessions):
        folder = self.home / ".pi" / "agent"
        folder.mkdir(parents=True)
        (folder / "models.json").write_text(json.dumps({"providers": {"anthropic": {"baseUrl": self.address}}}))

    def bring(self, session):
        self.place(self.home / ".pi" / "agent", session)
        return 0, ""

    def left(self, session):
        return self.home / ".pi" / "agent" / next(iter(session["files"]))

    def say(self, session, prompt):
        env = environment(self.home, PI_OFFLINE="1", PI_SKIP_VERSION_CHECK="1", ANTHROPIC_API_KEY="sk-fake")
        return run(["node", self.executable, "-p", "--provider", "anthropic", "--model", CLAUDE_MODEL, "--session",
                    str(self.left(session)), prompt], env, self.work)

    def sent(self):
        return self.sent_to("/messages", "messages")


PROGRAMS = {"claude-code": ClaudeCode, "codex": Codex, "opencode": OpenCode, "pi": Pi}
