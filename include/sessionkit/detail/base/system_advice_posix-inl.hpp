// SPDX-License-Identifier: MIT
// Advises users of POSIX in the words of its shell.
#pragma once
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/base/system_advice.hpp>

namespace sessionkit { inline namespace v0 { namespace detail {

std::string_view system_advice(SystemFault fault) noexcept {
  switch (fault) {
  case SystemFault::too_large: return "raise the file size limit (ulimit -f) and repeat the call";
  case SystemFault::no_access: return "give this user the right to it";
  case SystemFault::read_only: return "mount the file system for writing";
  case SystemFault::too_many_open: return "raise the limit of open files (ulimit -n), or close some";
  default: return {};
  }
}

std::string advice_to_close(std::string_view directory) { return format_text("chmod go-w {}", directory); }

std::string owner_text(unsigned owner) { return format_text("user {}", owner); }

std::string mode_text(unsigned mode) { return format_text("mode {:04o}", mode); }

}}}
