// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/error.hpp>

#include <string>

namespace cli {

/// What the program exits with: promised to scripts, so it never changes.
enum Exit {
  ok = 0,
  runtime = 1,   ///< the system or a store refused
  differs = 1,   ///< `diff` only, as everywhere: the two are not the same
  usage = 2,     ///< the command line, an ambiguous name, or a question nobody is there to answer
  not_found = 3, ///< no such session, entry or file
  conflict = 4,  ///< locked too long, changed meanwhile, or taken
  damage = 5,    ///< damage found
  forbidden = 6, ///< permission, or an unsafe path
  no_space = 7,  ///< disk, quota or file size limit
  unreachable = 8,
  unknown_outcome = 9, ///< the entry may or may not be stored; repeating with its id is safe
  interrupted = 130,   ///< Ctrl-C ended what has no end of its own
  broken_pipe = 141,   ///< whoever read stdout went away
};

/// Ends a command: thrown by verbs, shown by `main`.
struct Failure {
  Exit exit;
  std::string code; ///< stable, for `--json`
  std::string message;
  std::string hint = {}; ///< what to do about it; may be empty
};

/// A failure of the library as one of this program.
Failure failure_of(sessionkit::Error const& error);

/// The same for a failed system call on something the program opened itself.
Failure system_failure(int error_number, std::string const& what);

}
