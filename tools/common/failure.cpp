// SPDX-License-Identifier: MIT
#include "failure.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>

namespace cli {

using sessionkit::Errc;

namespace {

struct Rule {
  Errc code;
  Exit exit;
  char const* hint;
};

constexpr Rule rules[] = {
    {Errc::not_found, Exit::not_found, "see all sessions: sessionkit ls"},
    {Errc::already_exists, Exit::conflict, ""},
    {Errc::conflict, Exit::conflict, "somebody else appended; run the command again"},
    {Errc::invalid_argument, Exit::usage, ""},
    {Errc::unsupported, Exit::usage, ""},
    {Errc::timed_out, Exit::conflict, "another program is writing; try again, or wait longer: --timeout 30s"},
    {Errc::corrupt, Exit::damage, "see where: sessionkit verify"},
    {Errc::unsupported_version, Exit::runtime,
     "a newer version of sessionkit, or of the program whose file this is, wrote it"},
    {Errc::unsafe_path, Exit::forbidden, ""},
    {Errc::no_space, Exit::no_space, "free some space and run the command again"},
    {Errc::io_error, Exit::runtime, ""},
    {Errc::unavailable, Exit::unreachable, "try again later"},
    {Errc::not_written, Exit::runtime, "nothing was stored; run the command again"},
    {Errc::outcome_unknown, Exit::unknown_outcome, "see what is stored: sessionkit show"},
    {Errc::poisoned, Exit::unknown_outcome, "see what is stored: sessionkit verify"},
    {Errc::forked, Exit::runtime, ""},
};

/// The system's error is more precise than the library's code.
Exit exit_of(Exit by_code, int error_number) {
  switch (error_number) {
  case ENOSPC:
  case EDQUOT:
  case EFBIG: return Exit::no_space;
  case EACCES:
  case EPERM:
  case EROFS: return Exit::forbidden;
  case EPIPE: return Exit::broken_pipe;
  default: return by_code;
  }
}

}

Failure failure_of(sessionkit::Error const& error) {
  for (Rule const& rule : rules)
    if (rule.code == error.code) {
      // That an entry may be stored matters more than the system's reason.
      bool const keeps = rule.exit == Exit::unknown_outcome;
      return {keeps ? rule.exit : exit_of(rule.exit, error.system), to_string(error.code), error.message,
              rule.hint};
    }
  return {Exit::runtime, "unknown", error.message};
}

Failure system_failure(int error_number, std::string const& what) {
  return {exit_of(Exit::runtime, error_number), "io_error",
          fmt::format("{}: {}", what, std::generic_category().message(error_number))};
}

}
