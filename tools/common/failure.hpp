// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/error.hpp>

#include <string>
#include <system_error>

namespace cli {

/// The exit codes of the program. Scripts rely on them, so they never change.
enum Exit {
  ok = 0,
  runtime = 1,   ///< the system or a store refused
  differs = 1,   ///< `diff` only, as everywhere: the two are not the same
  usage = 2,     ///< the command line, an ambiguous name, or a question without a person to answer it
  not_found = 3, ///< no such session, entry or file
  conflict = 4,  ///< locked too long, changed in the meantime, or taken
  damage = 5,    ///< damage found
  forbidden = 6, ///< permission, or an unsafe path
  no_space = 7,  ///< disk, quota or file size limit
  unreachable = 8,
  unknown_outcome = 9, ///< the entry may or may not be stored; repeating with its id is safe
  interrupted = 130,   ///< Ctrl-C ended a command that does not end by itself
  broken_pipe = 141,   ///< the reader of stdout ended
};

/// Ends a command: thrown by verbs, shown by `main`.
struct Failure {
  Exit exit;
  std::string code; ///< stable, for `--json`
  std::string message;
  std::string hint = {}; ///< what to do about it; may be empty
};

/// Converts a failure of the library to one of this program.
Failure failure_of(sessionkit::Error const& error);

/// The same for a failed system call on a file that the program opened itself.
Failure system_failure(int error_number, std::string const& what); ///< a number of `errno`
Failure system_failure(std::error_code error, std::string const& what);

}
