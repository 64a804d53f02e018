# SPDX-License-Identifier: MIT
"""Database servers for the tests of the programs: on loopback, empty, stopped with their test class."""
import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time

from support import ENVIRONMENT, SESSIONKIT


def built_with(url):
    done = subprocess.run([SESSIONKIT, "ls", "--store", url], capture_output=True, env=ENVIRONMENT, check=False)
    return b"built without" not in done.stderr


def free_port():
    with socket.socket() as any_port:
        any_port.bind(("127.0.0.1", 0))
        return any_port.getsockname()[1]


def why_missing(server, scheme):
    """Why this server cannot be tried here; None if it can be. An error if servers are required."""
    if not built_with(f"{scheme}://127.0.0.1:1"):
        return f"this program was built without {scheme}"
    if server.program:
        return None
    if os.environ.get("SESSIONKIT_SERVERS") == "required":
        raise RuntimeError(f"there is no server for {scheme} here")
    return f"there is no server for {scheme} here"


class Server:
    """A process, its folder and its address."""

    def __init__(self, user=None):
        self.user = user
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="sessionkit-server-"))
        if user:
            os.chown(self.folder, user.pw_uid, user.pw_gid)
        self.port = free_port()

    def command(self, *words):
        identity = {"user": self.user.pw_uid, "group": self.user.pw_gid, "extra_groups": []} if self.user else {}
        return subprocess.Popen(list(map(str, words)), cwd=self.folder, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL, **identity)

    def serve(self, *words):
        self.process = self.command(*words)
        patience = time.monotonic() + 60
        while subprocess.run([SESSIONKIT, "ls", "--store", self.url], capture_output=True, env=ENVIRONMENT,
                             check=False).returncode not in (0, 3):  # 3: nothing was ever stored
            if time.monotonic() > patience or self.process.poll() is not None:
                self.stop()
                raise RuntimeError(f"{words[0]} does not start")
            time.sleep(0.05)

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait()
        shutil.rmtree(self.folder)


class Redis(Server):
    program = shutil.which("redis-server")

    def __init__(self):
        super().__init__()
        self.url = f"redis://127.0.0.1:{self.port}"
        self.serve(self.program, "--port", self.port, "--bind", "127.0.0.1", "--dir", self.folder, "--save", "",
                   "--appendonly", "yes", "--appendfsync", "always")


class Postgres(Server):
    program = max(map(str, pathlib.Path("/usr/lib/postgresql").glob("*/bin/postgres")), default=None)

    def __init__(self):
        super().__init__(pwd.getpwnam("postgres") if os.geteuid() == 0 else None)
        self.url = f"postgres://postgres@127.0.0.1:{self.port}/postgres"
        data = self.folder / "data"
        made = self.command(pathlib.Path(self.program).with_name("initdb"), "-D", data, "-A", "trust", "-U", "postgres",
                            "--no-sync", "-E", "UTF8", "--locale=C")
        if made.wait():
            raise RuntimeError("initdb failed")
        self.serve(self.program, "-D", data, "-p", self.port, "-c", "listen_addresses=127.0.0.1",
                   "-c", "unix_socket_directories=", "-c", "fsync=off")
