# SPDX-License-Identifier: MIT
"""Mounted images, and the writer's output. A test that may not mount is reported as skipped."""
import fcntl
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from collections import Counter

WRITER = os.environ["CRASH_WRITER"]
SOAK = "SESSIONKIT_SOAK" in os.environ
SKIP = 77
EXT4_IOC_SHUTDOWN = 0x8004587D  # _IOR('X', 125, __u32)
WITHOUT_LOG_FLUSH = 2


def skip(why):
    print("SKIPPED:", why)
    sys.exit(SKIP)


def call(*command):
    return subprocess.run(command, capture_output=True, text=True)


class Mounted:
    """A folder on a file system of its own."""

    def __init__(self, kind, options="", size="64M"):
        if os.geteuid() != 0:
            skip("mounting needs root")
        self.kind, self.options = kind, options
        fast = "/dev/shm" if os.path.isdir("/dev/shm") else None  # a sync of the image is cheap there
        self.folder = tempfile.mkdtemp(prefix="sessionkit-mount-", dir=fast)
        self.path = os.path.join(self.folder, "at")
        self.image = os.path.join(self.folder, "image")
        os.mkdir(self.path)
        if kind == "ext4":
            if not shutil.which("mkfs.ext4"):
                skip("mkfs.ext4 is not installed")
            with open(self.image, "wb") as image:
                image.truncate(int(size[:-1]) << 20)
            made = call("mkfs.ext4", "-q", "-F", self.image)
            if made.returncode:
                skip("mkfs.ext4: " + made.stderr.strip())
        self.mount()

    def mount(self, more=""):
        options = ",".join(filter(None, [self.options, more]))
        if self.kind == "ext4":
            done = call("mount", "-o", "loop" + ("," + options if options else ""), self.image, self.path)
        else:
            done = call("mount", "-t", self.kind, "-o", options, "none", self.path)
        if done.returncode:
            self.close()
            skip("mounting is not allowed: " + done.stderr.strip())

    def unmount(self):
        for _ in range(50):
            done = call("umount", self.path)
            if done.returncode == 0:
                return
            time.sleep(0.02)
        raise RuntimeError("cannot unmount: " + done.stderr)

    def cut_power(self):
        """From now on nothing reaches the disk, the journal's open transaction included."""
        directory = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.ioctl(directory, EXT4_IOC_SHUTDOWN, struct.pack("I", WITHOUT_LOG_FLUSH))
        finally:
            os.close(directory)

    def close(self):
        if os.path.ismount(self.path):
            self.unmount()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def start_writer(folder, prefix, level, count, weakness="none", out=subprocess.PIPE):
    return subprocess.Popen([WRITER, "write", folder, prefix, level, str(count), weakness], stdout=out)


def said(text, word):
    """The ids of complete lines that begin with this word."""
    lines = text.split("\n")[:-1]
    return [line.split(" ")[1] for line in lines if line.startswith(word + " ")]


def write(folder, prefix, level, count):
    """Runs the writer to its end; returns its output."""
    return subprocess.run([WRITER, "write", folder, prefix, level, str(count)], capture_output=True, text=True).stdout


def run(mode, folder):
    """The same for a mode that takes only a folder."""
    return subprocess.run([WRITER, mode, folder], capture_output=True, text=True).stdout


class Content:
    """What another process reads."""

    def __init__(self, folder):
        done = call(WRITER, "read", folder)
        self.ok = done.returncode == 0
        self.entries = Counter(said(done.stdout, "ENTRY"))
        self.damage = done.stdout.count("DAMAGE\n")
        self.compactions = said(done.stdout, "COMPACTION")

    def lost(self, acked):
        return sum(1 for one in acked if self.entries[one] == 0)

    def doubled(self):
        return sum(1 for times in self.entries.values() if times > 1)
