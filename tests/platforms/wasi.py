# SPDX-License-Identifier: MIT
"""wasi.py PROGRAM: runs a program of WASI under wasmtime, which Python has as the package wasmtime."""
import sys

import wasmtime


def main():
    engine = wasmtime.Engine()
    store = wasmtime.Store(engine)
    config = wasmtime.WasiConfig()
    config.inherit_stdout()
    config.inherit_stderr()
    store.set_wasi(config)
    linker = wasmtime.Linker(engine)
    linker.define_wasi()
    program = linker.instantiate(store, wasmtime.Module.from_file(engine, sys.argv[1]))
    try:
        program.exports(store)["_start"](store)
    except wasmtime.ExitTrap as ended:
        return ended.code
    return 0


if __name__ == "__main__":
    sys.exit(main())
