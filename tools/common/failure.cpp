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

/// The system's error is more precise than the library's code. Windows has numbers of its own.
Exit exit_of(Exit by_code, std::error_code error) {
  struct Meaning {
    std::errc error;
    Exit exit;
  };
  constexpr Meaning meanings[] = {{std::errc::no_space_on_device, Exit::no_space},
                                  {std::errc::file_too_large, Exit::no_space},
                                  {std::errc::permission_denied, Exit::forbidden},
                                  {std::errc::operation_not_permitted, Exit::forbidden},
                                  {std::errc::read_only_file_system, Exit::forbidden},
                                  {std::errc::broken_pipe, Exit::broken_pipe}};
  for (auto const& meaning : meanings)
    if (error == meaning.error) return meaning.exit;
#ifdef EDQUOT
  if (error.value() == EDQUOT) return Exit::no_space;
#endif
  return by_code;
}

}

Failure failure_of(sessionkit::Error const& error) {
  for (Rule const& rule : rules)
    if (rule.code == error.code) {
      // That an entry may be stored matters more than the system's reason.
      bool const keeps = rule.exit == Exit::unknown_outcome;
      return {keeps ? rule.exit : exit_of(rule.exit, {error.system, std::system_category()}),
              to_string(error.code), error.message, rule.hint};
    }
  return {Exit::runtime, "unknown", error.message};
}

Failure system_failure(std::error_code error, std::string const& what) {
  return {exit_of(Exit::runtime, error), "io_error", fmt::format("{}: {}", what, error.message())};
}

Failure system_failure(int error_number, std::string const& what) {
  return system_failure(std::error_code(error_number, std::generic_category()), what);
}

}
