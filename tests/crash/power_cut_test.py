# SPDX-License-Identifier: MIT
"""T7: the power of a mounted ext4 image is cut while a writer runs; and without syncs the same test must fail."""
import os
import random
import sys
import time

from mounts import SOAK, Content, Mounted, said, skip, start_writer


def run(cuts, level, weakness="none"):
    """Lost, doubled, acknowledged, torn."""
    numbers = random.Random(7)
    acked = []
    with Mounted("ext4") as disk:
        folder = os.path.join(disk.path, "store")
        words = os.path.join(disk.folder, "words")
        for cut in range(cuts):
            with open(words, "w") as out:
                writer = start_writer(folder, f"{cut}", level, 1_000_000, weakness, out)
                time.sleep(numbers.uniform(0.01, 0.15))
                with open(words) as heard:  # only output before the cut counts
                    text = heard.read()
                try:
                    disk.cut_power()
                except OSError as error:
                    writer.kill()
                    writer.wait()
                    skip(f"this kernel cuts no power: {error}")
                writer.kill()
                writer.wait()
            acked += said(text, "ACK")
            disk.unmount()
            disk.mount()
        content = Content(folder)
        if not content.ok and acked:
            return len(acked), 0, len(acked), 0
        return content.lost(acked), content.doubled(), len(acked), content.damage


cuts = 200 if SOAK else 16
failed = False
for level in ("turn", "entry"):
    lost, doubled, acked, torn = run(cuts // 2, level)
    print(f"T7: {cuts // 2} power cuts at level {level}: {acked} acknowledged, lost {lost}, doubled {doubled}, torn {torn}")
    failed = failed or lost > 0 or doubled > 0 or acked == 0
lost, _, acked, _ = run(4, "entry", "no_data_sync")
print(f"T7: control without syncs: {acked} acknowledged, lost {lost}")
failed = failed or lost == 0
sys.exit(1 if failed else 0)
