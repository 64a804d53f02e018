// SPDX-License-Identifier: MIT
// A system call that fails, or in which the process dies.
#pragma once
#include "model_disk.hpp"
#include "support/faulty_file_ops.hpp"

#include <cstdint>

namespace sessionkit_test {

enum class Kind { error, short_write, die, die_in_write };

struct PlannedFault {
  Kind kind;
  int error;   ///< of `error`
  bool sticky; ///< each later call fails too
};

/// From the call of this number on, calls fail. `ops` calls `process`; both must exist as long as
/// `ops.before`.
inline void plan(FaultyFileOps& ops, ModelProcess& process, PlannedFault const& fault, std::int64_t at) {
  if (fault.kind != Kind::die && fault.kind != Kind::die_in_write) {
    ops.fault = {at, fault.error, fault.sticky, fault.kind == Kind::short_write};
    return;
  }
  ops.before = [&ops, &process, kind = fault.kind, at](Call call) {
    if (ops.calls() < at || process.dead()) return;
    if (kind == Kind::die)
      process.die();
    else if (call == Call::write)
      process.die_in_next_write();
  };
}

}
