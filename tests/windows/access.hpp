// SPDX-License-Identifier: MIT
// A file that everybody may use, made so by the system's own functions.
#pragma once
#include "support/give_up.hpp"

#include <string>

#include <windows.h>
// after windows.h
#include <aclapi.h>

namespace sessionkit_test {

inline void open_to_everybody(std::string path) {
  SID_IDENTIFIER_AUTHORITY world = SECURITY_WORLD_SID_AUTHORITY;
  PSID everybody = nullptr;
  if (::AllocateAndInitializeSid(&world, 1, SECURITY_WORLD_RID, 0, 0, 0, 0, 0, 0, 0, &everybody) == 0)
    give_up("no name for everybody");
  alignas(8) unsigned char list[256];
  auto* const acl = reinterpret_cast<ACL*>(list);
  ::InitializeAcl(acl, sizeof list, ACL_REVISION);
  ::AddAccessAllowedAce(acl, ACL_REVISION, FILE_ALL_ACCESS, everybody);
  DWORD const failed = ::SetNamedSecurityInfoA(&path[0], SE_FILE_OBJECT, DACL_SECURITY_INFORMATION, nullptr,
                                               nullptr, acl, nullptr);
  ::FreeSid(everybody);
  if (failed != ERROR_SUCCESS) give_up("cannot open " + path + " to everybody");
}

}
