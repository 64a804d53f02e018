// SPDX-License-Identifier: MIT
// Reads and sets who may use a file on Windows.
#pragma once
#include <sessionkit/detail/base/file_access_windows.hpp>
#include <sessionkit/detail/base/windows_header.hpp>

#include <cstdint>
#include <vector>

#include <aclapi.h>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace file_access_windows_inl { namespace {

int last_failure() noexcept { return -static_cast<int>(::GetLastError()); }

struct Sid {
  alignas(8) unsigned char bytes[SECURITY_MAX_SID_SIZE] = {};
  PSID get() noexcept { return bytes; }
  bool is(PSID other) noexcept { return ::EqualSid(get(), other) != 0; }
  bool make(WELL_KNOWN_SID_TYPE type) noexcept {
    DWORD size = sizeof bytes;
    return ::CreateWellKnownSid(type, nullptr, get(), &size) != 0;
  }
};

// The user of this process, those who may do everything anyway, and what only they may use.
class Identity {
 public:
  Identity() {
    system_.make(WinLocalSystemSid);
    administrators_.make(WinBuiltinAdministratorsSid);
    creator_.make(WinCreatorOwnerSid);
    owner_rights_.make(WinCreatorOwnerRightsSid);
    read_token();
    build(file_, 0);
    build(directory_, OBJECT_INHERIT_ACE | CONTAINER_INHERIT_ACE);
  }

  SECURITY_DESCRIPTOR* descriptor(bool directory) noexcept {
    return directory ? &directory_.descriptor : &file_.descriptor;
  }
  unsigned number_of(PSID owner) noexcept {
    if (owner == nullptr) return windows_owner::other; // it has none
    if (user_.is(owner) || default_owner_.is(owner)) return windows_owner::user;
    if (is_administrator_ && administrators_.is(owner)) return windows_owner::user; // made while elevated
    return system_.is(owner) || administrators_.is(owner) ? windows_owner::system : windows_owner::other;
  }
  bool is_trusted(PSID sid, PSID owner) noexcept {
    for (Sid* const one : {&user_, &system_, &administrators_, &creator_, &owner_rights_})
      if (one->is(sid)) return true;
    return owner != nullptr && ::EqualSid(sid, owner) != 0;
  }

 private:
  struct Descriptor {
    SECURITY_DESCRIPTOR descriptor;
    alignas(8) unsigned char list[sizeof(ACL) + 3 * (sizeof(ACCESS_ALLOWED_ACE) + SECURITY_MAX_SID_SIZE)];
  };

  void read_token() {
    HANDLE token = nullptr;
    if (::OpenProcessToken(::GetCurrentProcess(), TOKEN_QUERY, &token) == 0) return;
    alignas(8) unsigned char info[sizeof(TOKEN_USER) + SECURITY_MAX_SID_SIZE];
    DWORD size = 0;
    if (::GetTokenInformation(token, TokenUser, info, sizeof info, &size) != 0)
      ::CopySid(sizeof user_.bytes, user_.get(), reinterpret_cast<TOKEN_USER*>(info)->User.Sid);
    default_owner_ = user_; // of an administrator: their group
    if (::GetTokenInformation(token, TokenOwner, info, sizeof info, &size) != 0)
      ::CopySid(sizeof default_owner_.bytes, default_owner_.get(),
                reinterpret_cast<TOKEN_OWNER*>(info)->Owner);
    ::GetTokenInformation(token, TokenGroups, nullptr, 0, &size);
    std::vector<std::uint64_t> groups(size / sizeof(std::uint64_t) + 1);
    if (::GetTokenInformation(token, TokenGroups, groups.data(), size, &size) != 0) {
      auto const* const all = reinterpret_cast<TOKEN_GROUPS*>(groups.data());
      for (DWORD i = 0; i < all->GroupCount; ++i) // while not elevated, the group is there and only denies
        is_administrator_ = is_administrator_ || administrators_.is(all->Groups[i].Sid);
    }
    ::CloseHandle(token);
  }
  void build(Descriptor& out, DWORD inherited) noexcept {
    auto* const list = reinterpret_cast<ACL*>(out.list);
    ::InitializeAcl(list, sizeof out.list, ACL_REVISION);
    for (Sid* const one : {&user_, &system_, &administrators_})
      ::AddAccessAllowedAceEx(list, ACL_REVISION, inherited, FILE_ALL_ACCESS, one->get());
    ::InitializeSecurityDescriptor(&out.descriptor, SECURITY_DESCRIPTOR_REVISION);
    ::SetSecurityDescriptorOwner(&out.descriptor, user_.get(), FALSE);
    ::SetSecurityDescriptorDacl(&out.descriptor, TRUE, list, FALSE);
    ::SetSecurityDescriptorControl(&out.descriptor, SE_DACL_PROTECTED, SE_DACL_PROTECTED);
  }

  Sid user_, default_owner_, system_, administrators_, creator_, owner_rights_;
  bool is_administrator_ = false;
  Descriptor file_, directory_;
};

Identity& identity() noexcept {
  static Identity one; // the user of a process does not change
  return one;
}

constexpr ACCESS_MASK reading = FILE_READ_DATA | GENERIC_READ | GENERIC_ALL;
constexpr ACCESS_MASK writing = FILE_WRITE_DATA | FILE_APPEND_DATA | FILE_DELETE_CHILD | DELETE | WRITE_DAC
                                | WRITE_OWNER | GENERIC_WRITE | GENERIC_ALL;

bool denies(BYTE type) noexcept {
  return type == ACCESS_DENIED_ACE_TYPE || type == ACCESS_DENIED_OBJECT_ACE_TYPE
         || type == ACCESS_DENIED_CALLBACK_ACE_TYPE || type == ACCESS_DENIED_CALLBACK_OBJECT_ACE_TYPE;
}

// Only in these entries the user's name follows the mask; the others count as for others.
bool names_user(BYTE type) noexcept {
  return type == ACCESS_ALLOWED_ACE_TYPE || type == ACCESS_ALLOWED_CALLBACK_ACE_TYPE;
}

// What the list allows to others than the owner. Entries that deny are passed over: it may be less. So are
// the conditions under which an entry allows something.
ACCESS_MASK allowed_to_others(ACL* list, PSID owner) noexcept {
  if (list == nullptr) return reading | writing; // no list: everybody may do everything
  ACCESS_MASK allowed = 0;
  for (DWORD i = 0; i < list->AceCount; ++i) {
    void* entry = nullptr;
    if (::GetAce(list, i, &entry) == 0) continue;
    auto* const ace = static_cast<ACCESS_ALLOWED_ACE*>(entry);
    BYTE const type = ace->Header.AceType;
    if (denies(type) || (ace->Header.AceFlags & INHERIT_ONLY_ACE) != 0) continue;
    if (!names_user(type) || !identity().is_trusted(&ace->SidStart, owner)) allowed |= ace->Mask;
  }
  return allowed;
}

// A handle of the same file that may change its list.
HANDLE reopened(HANDLE handle) noexcept {
  constexpr DWORD share = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
  return ::ReOpenFile(handle, WRITE_DAC | READ_CONTROL | SYNCHRONIZE, share, FILE_FLAG_BACKUP_SEMANTICS);
}

}}

int read_access(void* handle, bool directory, FileAccess& out) {
  constexpr SECURITY_INFORMATION wanted = OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION;
  alignas(8) unsigned char few[512];
  std::vector<unsigned char> many;
  void* descriptor = few;
  DWORD size = sizeof few;
  BOOL got = ::GetKernelObjectSecurity(handle, wanted, descriptor, size, &size);
  if (got == 0 && ::GetLastError() == ERROR_INSUFFICIENT_BUFFER) {
    many.resize(size);
    descriptor = many.data();
    got = ::GetKernelObjectSecurity(handle, wanted, descriptor, size, &size);
  }
  return got != 0 ? access_in(descriptor, directory, out) : file_access_windows_inl::last_failure();
}

int access_in(void* descriptor, bool directory, FileAccess& out) {
  PSID owner = nullptr;
  ACL* list = nullptr;
  BOOL present = FALSE, defaulted = FALSE;
  if (::GetSecurityDescriptorOwner(descriptor, &owner, &defaulted) == 0
      || ::GetSecurityDescriptorDacl(descriptor, &present, &list, &defaulted) == 0)
    return file_access_windows_inl::last_failure();
  ACCESS_MASK const others = file_access_windows_inl::allowed_to_others(present != 0 ? list : nullptr, owner);
  out.owner = file_access_windows_inl::identity().number_of(owner);
  out.mode = directory ? 0700 : 0600;
  if ((others & file_access_windows_inl::reading) != 0) out.mode |= directory ? 0055U : 0044U;
  if ((others & file_access_windows_inl::writing) != 0) out.mode |= 0022U;
  return 0;
}

int set_access(void* handle, bool directory, unsigned mode) {
  constexpr unsigned bits_of_others = 0077;
  FileAccess now;
  int failed = read_access(handle, directory, now);
  if (failed < 0 || ((now.mode ^ mode) & bits_of_others) == 0) return failed;
  HANDLE const file = file_access_windows_inl::reopened(handle);
  if (file == INVALID_HANDLE_VALUE) return file_access_windows_inl::last_failure();
  auto const make_private = [&] {
    constexpr SECURITY_INFORMATION what = DACL_SECURITY_INFORMATION | PROTECTED_DACL_SECURITY_INFORMATION;
    return ::SetKernelObjectSecurity(file, what, private_security(directory)) != 0
               ? 0
               : file_access_windows_inl::last_failure();
  };
  if ((mode & bits_of_others) == 0) {
    failed = make_private();
  } else {
    ACL none;
    ::InitializeAcl(&none, sizeof none, ACL_REVISION);
    constexpr SECURITY_INFORMATION what = DACL_SECURITY_INFORMATION | UNPROTECTED_DACL_SECURITY_INFORMATION;
    failed =
        -static_cast<int>(::SetSecurityInfo(file, SE_FILE_OBJECT, what, nullptr, nullptr, &none, nullptr));
    if (failed == 0) failed = read_access(file, directory, now);
    if (failed < 0 || (now.mode & ~mode & bits_of_others) != 0) failed = make_private();
  }
  ::CloseHandle(file);
  return failed;
}

void* private_security(bool directory) noexcept {
  return file_access_windows_inl::identity().descriptor(directory);
}

}}}
