# SPDX-License-Identifier: MIT
"""The chat server with many people at once."""
import os
import threading
import time
import unittest

from host import HostTest, in_parallel

SOAK = "SESSIONKIT_SOAK" in os.environ
SESSIONS, CLIENTS, ROUNDS, DELAY = (200, 500, 10, 100) if SOAK else (40, 100, 3, 10)


class Load(HostTest):
    def test_no_turn_is_lost_and_no_session_is_mixed(self):
        """Two or three share each session: a client that finds it answering listens until it is free."""
        host = self.host("--connections", CLIENTS + 8, "--turns", SESSIONS, "--delay", DELAY)
        names = [host.chat(f"I am session {i}")[1]["sessionId"] for i in range(SESSIONS)]
        lock, stored, waits, latest = threading.Lock(), {name: [] for name in names}, [], []
        in_flight = peak = 0
        together = threading.Barrier(CLIENTS)

        def ask(number, turn):
            """One turn over one connection."""
            nonlocal in_flight, peak
            name, message = names[number % SESSIONS], f"client {number} turn {turn}"
            begin = time.monotonic()
            with lock:
                in_flight += 1
                peak = max(peak, in_flight)
            while True:
                answer = host.begin(message, name)
                if answer.status != 409:
                    break
                answer.close()
                waits.append(len(list(host.ask("GET", f"sessions/{name}/events").events())))
            self.assertEqual(answer.status, 200)
            events = list(answer.events())
            with lock:
                in_flight -= 1
                latest.append(time.monotonic() - begin)
                stored[name].append(message)
            self.assertEqual((events[-1]["type"], events[-1]["end"], events[-1]["sessionId"]), ("done", "finished", name))
            text = "".join(event["text"] for event in events if event["type"] == "text_delta")
            self.assertTrue(text.startswith(f'You said "{message}"'), text)

        def client(number):
            together.wait()
            for turn in range(ROUNDS):
                ask(number, turn)

        memory = [host.memory()]
        over = threading.Event()

        def watch():
            while not over.wait(0.1):
                memory.append(host.memory())
        watcher = threading.Thread(target=watch)
        watcher.start()
        begin = time.monotonic()
        try:
            in_parallel(*[lambda number=number: client(number) for number in range(CLIENTS)])
        finally:
            over.set()
            watcher.join()
        seconds = time.monotonic() - begin
        for i, name in enumerate(names):
            talk = host.talk(name)
            said = [text for role, text in talk if role == "user"]
            self.assertEqual(said[0], f"I am session {i}")
            self.assertEqual(sorted(said[1:]), sorted(stored[name]))
            for (_, message), (role, text) in zip(talk[::2], talk[1::2]):
                self.assertEqual((role, text.startswith(f'You said "{message}"')), ("assistant", True))
        self.assertEqual(sum(map(len, stored.values())), CLIENTS * ROUNDS)
        self.grew_by_less_than(200, host, memory[0])
        if SOAK:
            self.assertEqual(peak, CLIENTS)
        latest.sort()
        print(f"{CLIENTS * ROUNDS} turns of {CLIENTS} clients over {SESSIONS} sessions, up to {peak} in flight, {len(waits)} waits: {seconds:.1f} s, "
              f"median {latest[len(latest) // 2]:.2f} s, longest {latest[-1]:.2f} s, "
              f"memory {memory[0] >> 20} MiB before, {max(memory) >> 20} at most")


if __name__ == "__main__":
    unittest.main()
