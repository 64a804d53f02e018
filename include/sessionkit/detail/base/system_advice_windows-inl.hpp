// SPDX-License-Identifier: MIT
// Advises users of Windows, which has no numbers for users and no modes.
#pragma once
#include <sessionkit/detail/base/file_access_windows.hpp>
#include <sessionkit/detail/base/system_advice.hpp>

namespace sessionkit { inline namespace v0 { namespace detail {

std::string_view system_advice(SystemFault fault) noexcept {
  switch (fault) {
  case SystemFault::too_large: return "use a file system that permits larger files (NTFS does)";
  case SystemFault::no_access: // also of a rename or removal, while another program has the file open
    return "give this user the right to it, end the other program that has it open, or allow this program in "
           "the "
           "folder (Windows Security, Controlled folder access)";
  case SystemFault::read_only: return "take the write protection from the disk";
  case SystemFault::too_many_open: return "close some files";
  default: return {};
  }
}

std::string advice_to_close(std::string_view) {
  return "take the right to write from others (its properties, Security; FAT has no such rights: use NTFS)";
}

std::string owner_text(unsigned owner) {
  switch (owner) {
  case windows_owner::system: return "the system";
  case windows_owner::user: return "user";
  default: return "another user";
  }
}

std::string mode_text(unsigned) { return "its access control list"; }

}}}
