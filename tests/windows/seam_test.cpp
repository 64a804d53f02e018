// SPDX-License-Identifier: MIT
// What the calls on files promise on Windows, against what the system's own functions show.
#include "access.hpp"
#include "seam.hpp"
#include "support/catch.hpp"
#include "support/data.hpp"

#include <sessionkit/blades.hpp>
#include <sessionkit/detail/base/file_access_windows.hpp>
#include <sessionkit/detail/base/file_ops.hpp>
#include <sessionkit/detail/base/safe_directory.hpp>
#include <sessionkit/file_store.hpp>
#include <sessionkit/foreign_store.hpp>
#include <sessionkit/session.hpp>

#include <chrono>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <windows.h>

using namespace sessionkit_test;
using sk::detail::FileNames;

namespace {

/// A folder that is open.
struct Folder {
  TempDir dir;
  File opened{ops(), ops().open(working_directory, dir.path().c_str(), OpenFlags::directory)};
  int get() const { return opened.get(); }
  File open(char const* name, OpenFlags flags) const { return {ops(), ops().open(get(), name, flags)}; }
  SystemFault fault(char const* name, OpenFlags flags) const {
    int const result = ops().open(get(), name, flags);
    if (result >= 0) ops().close(result);
    return sk::detail::fault_of(result);
  }
  std::set<std::string> names() const {
    FileNames found;
    CHECK(ops().list(get(), found) == 0);
    std::set<std::string> all;
    found.each([&](std::string_view name) { all.emplace(name); });
    return all;
  }
};

void put(File const& file, std::string const& text) {
  REQUIRE(ops().write(file.get(), text.data(), text.size()) == static_cast<std::int64_t>(text.size()));
}
std::string get(File const& file, std::uint64_t offset = 0) {
  std::string text(100, '\0');
  auto const got = ops().pread(file.get(), &text[0], text.size(), offset);
  REQUIRE(got >= 0);
  text.resize(static_cast<std::size_t>(got));
  return text;
}

/// wine has no rename that replaces an open file; on Windows it is there since 10 1607, on NTFS.
bool is_wine() { return ::GetProcAddress(::GetModuleHandleA("ntdll.dll"), "wine_get_version") != nullptr; }

/// The file as a program opens it that shares it with nobody.
HANDLE unshared(std::string const& path) {
  return ::CreateFileA(path.c_str(), GENERIC_READ, 0, nullptr, OPEN_EXISTING, 0, nullptr);
}

}

TEST_CASE("two handles that append never write over each other, also after a read") {
  Folder folder;
  File const a = folder.open("log", appending | OpenFlags::only_new), b = folder.open("log", appending);
  REQUIRE((a && b));
  put(a, "one ");
  put(b, "two ");
  CHECK(get(a) == "one two ");
  put(a, "three ");
  CHECK(get(b, 4) == "two three ");
  CHECK(get(b, 14).empty());
  CHECK(get(b, 1 << 20).empty());
  CHECK(read_file(folder.dir / "log") == "one two three ");
}

TEST_CASE("a lock keeps others from the lock, and nobody from reading or appending") {
  Folder folder;
  File a = folder.open("log", appending | OpenFlags::only_new);
  File const b = folder.open("log", appending);
  REQUIRE(ops().try_lock(a.get()) == 0);
  CHECK(sk::detail::fault_of(ops().try_lock(b.get())) == SystemFault::would_wait);
  put(b, "text");
  CHECK(get(b) == "text");
  CHECK(read_file(folder.dir / "log") == "text"); // another program's way of reading
  CHECK(ops().unlock(a.get()) == 0);
  CHECK(ops().try_lock(b.get()) == 0);
  CHECK(sk::detail::fault_of(ops().try_lock(a.get())) == SystemFault::would_wait);
  CHECK(ops().unlock(b.get()) == 0);
  CHECK(ops().try_lock(a.get()) == 0);
  a.reset(); // closing gives it back
  CHECK(ops().try_lock(b.get()) == 0);
}

TEST_CASE("an open file can be renamed, replaced and removed, and its reader keeps its bytes") {
  Folder folder;
  File old = folder.open("log", appending | OpenFlags::only_new);
  put(old, "old");
  FileStatus before, now;
  REQUIRE(ops().status(old.get(), before) == 0);
  File draft = folder.open("draft", OpenFlags::write | OpenFlags::only_new);
  put(draft, "new");
  CHECK(sk::detail::fault_of(ops().rename(folder.get(), "draft", folder.get(), "log", false))
        == SystemFault::exists);
  if (is_wine()) { // it refuses, and changes nothing; and it removes a file when it is closed
    CHECK(sk::detail::fault_of(ops().rename(folder.get(), "draft", folder.get(), "log", true))
          == SystemFault::no_access);
    CHECK(read_file(folder.dir / "log") == "old");
    CHECK(read_file(folder.dir / "draft") == "new");
    old.reset();
  }
  CHECK(ops().rename(folder.get(), "draft", folder.get(), "log", true) == 0);
  CHECK(read_file(folder.dir / "log") == "new");
  if (old) CHECK(get(old) == "old");
  REQUIRE(ops().status_at(folder.get(), "log", now) == 0);
  CHECK_FALSE(now.same_file(before));
  CHECK(ops().rename(folder.get(), "log", folder.get(), "Other", false) == 0); // although it is open here
  CHECK(folder.names() == std::set<std::string>{"Other"});
  CHECK(ops().unlink(folder.get(), "Other") == 0);
  if (is_wine()) draft.reset();
  CHECK(folder.names().empty());
  CHECK(folder.fault("Other", OpenFlags::read) == SystemFault::missing);
  File const again = folder.open("Other", appending | OpenFlags::only_new);
  CHECK(again);
  CHECK(sk::detail::fault_of(ops().unlink(folder.get(), "missing")) == SystemFault::missing);
}

TEST_CASE("a file that another program shares with nobody is waited for, but not for ever") {
  Folder folder;
  put(folder.open("log", appending | OpenFlags::only_new), "text");
  put(folder.open("draft", appending | OpenFlags::only_new), "new");
  for (bool const again : {false, true}) {
    HANDLE const scanner = unshared(folder.dir / "log");
    REQUIRE(scanner != INVALID_HANDLE_VALUE);
    std::thread ends([&] {
      ::Sleep(200);
      ::CloseHandle(scanner);
    });
    if (again)
      CHECK(ops().rename(folder.get(), "draft", folder.get(), "log", true) == 0);
    else
      CHECK(folder.fault("log", appending) == SystemFault::none);
    ends.join();
  }
  CHECK(read_file(folder.dir / "log") == "new");
  HANDLE const scanner = unshared(folder.dir / "log");
  REQUIRE(scanner != INVALID_HANDLE_VALUE);
  auto const begin = std::chrono::steady_clock::now();
  int const refused = ops().open(folder.get(), "log", appending);
  CHECK(sk::detail::fault_of(refused) == SystemFault::in_use);
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(20));
  CHECK(sk::detail::file_error(-refused, "log", "cannot open").message.find("other program")
        != std::string::npos);
  FileStatus status;
  CHECK(ops().status_at(folder.get(), "log", status) == 0); // a look needs no share
  ::CloseHandle(scanner);
}

TEST_CASE("names that Windows changes or takes for devices are refused, and the error says so") {
  Folder folder;
  for (char const* const name : {"CON", "nul.jsonl", "com1", "lpt9.txt", "a.", "a ", "a:b", "a\\b", "..\\b",
                                 "C:x", "a?", "a*", "a<", "a|", "a\"", "a\tb", "x/nul/y", "\xC3("}) {
    INFO(name);
    int const refused = ops().open(folder.get(), name, appending | OpenFlags::create);
    CHECK(sk::detail::fault_of(refused) == SystemFault::bad_name);
    FileStatus status;
    CHECK(sk::detail::fault_of(ops().status_at(folder.get(), name, status)) == SystemFault::bad_name);
    CHECK(sk::detail::fault_of(ops().make_directory(folder.get(), name)) == SystemFault::bad_name);
  }
  CHECK(folder.names().empty());
  sk::Error const error =
      sk::detail::file_error(sk::detail::system_code(SystemFault::bad_name), "CON", "cannot make the file");
  CHECK(error.code == sk::Errc::invalid_argument);
  CHECK(error.message.find("no device such as CON, no dot or space at the end") != std::string::npos);
  CHECK(sk::detail::fault_of(ops().open(working_directory, "\\\\.\\pipe\\x", OpenFlags::read))
        == SystemFault::special_file);
}

TEST_CASE("names of every script, and lone surrogates, are listed as they were made") {
  Folder folder;
  std::set<std::string> const names{
      "plain", "\xC3\xA4\xC3\xB6", "\xE4\xBD\xA0\xE5\xA5\xBD.jsonl", "\xF0\x9F\x98\x80", "a b", ".lock"};
  for (std::string const& name : names) CHECK(folder.open(name.c_str(), appending | OpenFlags::only_new));
  CHECK(folder.names() == names);
  std::wstring const wide =
      std::wstring(folder.dir.path().begin(), folder.dir.path().end()) + L"/\u4F60\u597D.jsonl";
  CHECK(::GetFileAttributesW(wide.c_str())
        != INVALID_FILE_ATTRIBUTES); // the system knows it by the same name
}

TEST_CASE("a file is found by its exact name only, and keeps it for itself") {
  Folder folder;
  {
    File const made = folder.open("Talk", appending | OpenFlags::only_new);
    put(made, "text");
    put(folder.open("draft", appending | OpenFlags::only_new), "new");
  }
  CHECK(folder.fault("Talk", appending) == SystemFault::none);
  for (OpenFlags const flags : {appending, OpenFlags::read, OpenFlags::write | OpenFlags::truncate})
    CHECK(folder.fault("talk", flags) == SystemFault::missing);
  for (OpenFlags const make : {OpenFlags::create, OpenFlags::only_new})
    CHECK(folder.fault("talk", appending | make) == SystemFault::other_case);
  FileStatus status;
  CHECK(sk::detail::fault_of(ops().status_at(folder.get(), "TALK", status)) == SystemFault::missing);
  CHECK(sk::detail::fault_of(ops().unlink(folder.get(), "talk")) == SystemFault::missing);
  CHECK(sk::detail::fault_of(ops().rename(folder.get(), "talk", folder.get(), "other", false))
        == SystemFault::missing);
  CHECK(sk::detail::fault_of(ops().rename(folder.get(), "draft", folder.get(), "talk", true))
        == SystemFault::other_case);
  CHECK(sk::detail::fault_of(ops().rename(folder.get(), "draft", folder.get(), "talk", false))
        == SystemFault::exists);
  CHECK(folder.names() == std::set<std::string>{"Talk", "draft"});
  CHECK(read_file(folder.dir / "Talk") == "text");
}

TEST_CASE("the letters of directories do not matter") {
  Folder folder;
  REQUIRE(ops().make_directory(folder.get(), "Below") == 0);
  put(folder.open("below/f", appending | OpenFlags::only_new), "text");
  CHECK(folder.fault("BELOW", OpenFlags::directory) == SystemFault::none);
  CHECK(folder.fault("BELOW/f", OpenFlags::read) == SystemFault::none);
  CHECK(folder.fault("Below/F", OpenFlags::read) == SystemFault::missing);
  FileStatus one, other;
  REQUIRE(ops().status_at(folder.get(), "Below", one) == 0);
  REQUIRE(ops().status_at(folder.get(), "below", other) == 0);
  CHECK(one.same_file(other));
}

TEST_CASE("of two session ids that differ in case only, the second one names no session, and can name none") {
  TempDir const dir;
  for (sk::Profile const& profile : {sk::profiles::native, sk::profiles::claw0, sk::profiles::blades}) {
    if (profile.name == sk::profiles::blades.name && is_wine()) continue; // it cannot replace documents
    INFO(profile.name);
    std::string const root = dir / std::string(profile.name);
    auto const open = [&]() -> std::shared_ptr<sk::SessionStore> {
      if (profile.name == sk::profiles::blades.name) return sk::open_blades_store(root).value();
      sk::FileStoreOptions options;
      options.profile = profile;
      return sk::open_file_store(root, options).value();
    };
    auto const store = open();
    sk::NewSession about;
    about.id = sk::SessionId::parse("Foo").value();
    {
      auto session = sk::Session::create(store, about).value();
      REQUIRE(session.append(sk::user("hello")));
      REQUIRE(session.end_turn());
    }
    about.id = sk::SessionId::parse("foo").value();
    CHECK(sk::Session::open(store, *about.id).error().code == sk::Errc::not_found);
    CHECK(store->read(*about.id, {}).error().code == sk::Errc::not_found);
    CHECK(store->info(*about.id).error().code == sk::Errc::not_found);
    CHECK(store->remove(*about.id).error().code == sk::Errc::not_found);
    auto created = sk::Session::create(store, about);
    sk::Result<void> const begun = created ? created->end_turn() : sk::Result<void>(created.error());
    REQUIRE_FALSE(begun);
    CHECK(begun.error().code == sk::Errc::invalid_argument);
    CHECK(begun.error().message.find("foo.json") != std::string::npos);
    CHECK(begun.error().message.find("capital and small letters") != std::string::npos);
    sk::SessionPage const all = open()->list({}).value();
    REQUIRE(all.sessions.size() == 1);
    CHECK(all.sessions.front().id.str() == "Foo");
    CHECK(open()->read(sk::SessionId::parse("Foo").value(), {}).ok());
  }
}

TEST_CASE("a path may be longer than 260 characters") {
  Folder folder;
  std::string path = folder.dir.path();
  for (int i = 0; i < 8; ++i) {
    path += "/" + std::string(50, static_cast<char>('a' + i));
    REQUIRE(ops().make_directory(working_directory, path.c_str()) == 0);
  }
  REQUIRE(path.size() > 400);
  File const file(ops(),
                  ops().open(working_directory, (path + "/f").c_str(), appending | OpenFlags::only_new));
  REQUIRE(file);
  put(file, "far");
  File const below(ops(), ops().open(working_directory, path.c_str(), OpenFlags::directory));
  FileStatus one, other;
  REQUIRE(ops().status(file.get(), one) == 0);
  REQUIRE(ops().status_at(below.get(), "f", other) == 0);
  CHECK(one.same_file(other));
}

TEST_CASE("two dots lead to the directory above an open one") {
  Folder folder;
  REQUIRE(ops().make_directory(folder.get(), "a") == 0);
  REQUIRE(ops().make_directory(folder.get(), "a/b") == 0);
  File const below = folder.open("a/b", OpenFlags::directory);
  FileStatus parent, named;
  File const one(ops(), ops().open(below.get(), "..", OpenFlags::directory));
  REQUIRE(ops().status(one.get(), parent) == 0);
  REQUIRE(ops().status_at(folder.get(), "a", named) == 0);
  CHECK(parent.same_file(named));
  File const two(ops(), ops().open(below.get(), "../..", OpenFlags::directory));
  REQUIRE(ops().status(two.get(), parent) == 0);
  REQUIRE(ops().status(folder.get(), named) == 0);
  CHECK(parent.same_file(named));
}

TEST_CASE("directories, files and their status") {
  Folder folder;
  CHECK(ops().make_directory(folder.get(), "d") == 0);
  CHECK(sk::detail::fault_of(ops().make_directory(folder.get(), "d")) == SystemFault::exists);
  CHECK(sk::detail::fault_of(ops().make_directory(folder.get(), "missing/d")) == SystemFault::missing);
  File file = folder.open("d/f", appending | OpenFlags::only_new);
  put(file, "12345");
  CHECK(folder.fault("d/f", OpenFlags::directory) == SystemFault::no_directory);
  CHECK(folder.fault("d", appending) == SystemFault::directory);
  CHECK(folder.fault("d", OpenFlags::read) == SystemFault::none); // its status says what it is
  FileStatus status, named, directory;
  REQUIRE(ops().status(file.get(), status) == 0);
  REQUIRE(ops().status_at(folder.get(), "d/f", named) == 0);
  REQUIRE(ops().status_at(folder.get(), "d", directory) == 0);
  CHECK(status.kind == FileStatus::regular);
  CHECK(directory.kind == FileStatus::directory);
  CHECK(status.size == 5);
  CHECK(status.links == 1);
  CHECK(status.same_version(named));
  CHECK_FALSE(status.same_file(directory));
  CHECK(status.owner == ops().user());
  CHECK(std::abs(status.modified_ns - ops().wall_ns()) < 100'000'000'000);
  std::string const linked = folder.dir / "second";
  REQUIRE(::CreateHardLinkA(linked.c_str(), (folder.dir / "d/f").c_str(), nullptr) != 0);
  REQUIRE(ops().status(file.get(), status) == 0);
  CHECK(status.links == 2);
  File cut = folder.open("d/f", OpenFlags::write | OpenFlags::create | OpenFlags::truncate);
  CHECK(read_file(folder.dir / "d/f").empty());
  CHECK(ops().pwrite(cut.get(), "ab", 2, 3) == 2);
  CHECK(read_file(folder.dir / "d/f") == std::string("\0\0\0ab", 5));
  CHECK(ops().sync(file.get()) == 0);
  CHECK(ops().sync_data(cut.get()) == 0);
  CHECK(ops().sync(folder.get()) == 0);
  CHECK(sk::detail::fault_of(sk::detail::remove_directory((folder.dir / "d").c_str())) != SystemFault::none);
  CHECK(ops().unlink(folder.get(), "d/f") == 0);
  CHECK(sk::detail::fault_of(ops().unlink(folder.get(), "d")) == SystemFault::directory);
  file.reset(); // wine removes it only now
  cut.reset();
  CHECK(sk::detail::remove_directory((folder.dir / "d").c_str()) == 0);
  std::string_view network = "not set";
  CHECK(ops().file_system(folder.get(), network) == 0);
  CHECK(network.empty());
  CHECK(sk::detail::may_write(folder.dir.path().c_str()));
  CHECK_FALSE(sk::detail::may_write((folder.dir / "missing").c_str()));
}

TEST_CASE("new files and directories are for their owner only") {
  Folder folder;
  File const file = folder.open("f", appending | OpenFlags::only_new);
  REQUIRE(ops().make_directory(folder.get(), "d") == 0);
  FileStatus status;
  REQUIRE(ops().status(file.get(), status) == 0);
  CHECK((status.mode & 0777U) == 0600);
  REQUIRE(ops().status_at(folder.get(), "d", status) == 0);
  CHECK((status.mode & 0777U) == 0700);
  CHECK(ops().set_mode(file.get(), 0600) == 0);

  // Somebody opens it to everybody; the status says so, and the mode takes it back.
  open_to_everybody(folder.dir / "f");
  REQUIRE(ops().status(file.get(), status) == 0);
  CHECK((status.mode & 0066U) == 0066U);
  REQUIRE(ops().set_mode(file.get(), 0600) == 0);
  REQUIRE(ops().status(file.get(), status) == 0);
  CHECK((status.mode & 0777U) == 0600);
}

TEST_CASE("an entry of an access list allows something unless it is known to deny it") {
  SID_IDENTIFIER_AUTHORITY world = SECURITY_WORLD_SID_AUTHORITY;
  alignas(8) unsigned char everybody[SECURITY_MAX_SID_SIZE];
  REQUIRE(::InitializeSid(everybody, &world, 1) != 0);
  *::GetSidSubAuthority(everybody, 0) = SECURITY_WORLD_RID;
  struct Case {
    BYTE type;
    unsigned mode;
  };
  for (Case const& one :
       {Case{ACCESS_ALLOWED_ACE_TYPE, 0666}, Case{ACCESS_ALLOWED_CALLBACK_ACE_TYPE, 0666},
        Case{ACCESS_ALLOWED_OBJECT_ACE_TYPE, 0666}, Case{ACCESS_ALLOWED_CALLBACK_OBJECT_ACE_TYPE, 0666},
        Case{ACCESS_DENIED_ACE_TYPE, 0600}, Case{ACCESS_DENIED_CALLBACK_ACE_TYPE, 0600},
        Case{ACCESS_DENIED_OBJECT_ACE_TYPE, 0600}, Case{ACCESS_DENIED_CALLBACK_OBJECT_ACE_TYPE, 0600}}) {
    INFO(int{one.type});
    alignas(8) unsigned char list[256];
    auto* const acl = reinterpret_cast<ACL*>(list);
    REQUIRE(::InitializeAcl(acl, sizeof list, ACL_REVISION) != 0);
    REQUIRE(::AddAccessAllowedAce(acl, ACL_REVISION, FILE_ALL_ACCESS, everybody) != 0);
    void* entry = nullptr;
    REQUIRE(::GetAce(acl, 0, &entry) != 0);
    static_cast<ACCESS_ALLOWED_ACE*>(entry)->Header.AceType = one.type;
    SECURITY_DESCRIPTOR descriptor;
    REQUIRE(::InitializeSecurityDescriptor(&descriptor, SECURITY_DESCRIPTOR_REVISION) != 0);
    REQUIRE(::SetSecurityDescriptorDacl(&descriptor, TRUE, acl, FALSE) != 0);
    sk::detail::FileAccess access;
    REQUIRE(sk::detail::access_in(&descriptor, false, access) == 0); // it has no owner
    CHECK(access.owner == sk::detail::windows_owner::other);
    CHECK(access.mode == one.mode);
    REQUIRE(::SetSecurityDescriptorOwner(&descriptor, everybody, FALSE) != 0);
    REQUIRE(sk::detail::access_in(&descriptor, false, access) == 0);
    CHECK(access.owner == sk::detail::windows_owner::other);
  }
}

TEST_CASE("the parts of a path on Windows") {
  using sk::detail::parent_directory;
  CHECK(parent_directory("C:\\a\\b") == "C:\\a");
  CHECK(parent_directory("C:\\a/b") == "C:\\a");
  CHECK(parent_directory("C:\\a") == "C:\\");
  CHECK(parent_directory("C:/") == "C:/");
  CHECK(parent_directory("C:a") == "C:");
  CHECK(parent_directory("a\\b") == "a");
  CHECK(parent_directory("a") == ".");
  CHECK(parent_directory("\\a") == "\\");
  CHECK(parent_directory("\\\\?\\C:\\a\\b") == "\\\\?\\C:\\a");
  CHECK(parent_directory("\\\\?\\C:\\a") == "\\\\?\\C:\\"); // without the last one it is the volume
  CHECK(parent_directory("//?/C:/a") == "//?/C:/");
  CHECK(parent_directory(R"(\\?\Volume{0a}\a\b)") == R"(\\?\Volume{0a}\a)");
  CHECK(parent_directory(R"(\\?\Volume{0a}\a)") == R"(\\?\Volume{0a}\)");
}

TEST_CASE("a store's directory is made with its parents, whichever separators its path has") {
  Folder folder;
  std::string const path = folder.dir / "a\\b/c\\";
  CHECK(sk::detail::open_store_directory(ops(), path, true).ok());
  FileStatus status;
  REQUIRE(ops().status_at(folder.get(), "a/b/c", status) == 0);
  CHECK(status.kind == FileStatus::directory);
}

TEST_CASE("a conversation of another program is opened by each spelling of its path") {
  Folder folder;
  for (char const* const name : {"projects", "projects/p"})
    REQUIRE(ops().make_directory(folder.get(), name) == 0);
  put(folder.open("projects/p/s1.jsonl", appending | OpenFlags::only_new),
      R"({"type":"user","uuid":"u1","parentUuid":null,"sessionId":"s1","timestamp":"2026-01-02T03:04:05.000Z",)"
      R"("cwd":"C:\\dev","version":"2.1.330","message":{"role":"user","content":"hello"}})"
      "\n");
  std::string const root = folder.dir.path();
  wchar_t before[MAX_PATH];
  REQUIRE(::GetCurrentDirectoryW(MAX_PATH, before) != 0);
  REQUIRE(::SetCurrentDirectoryA(root.c_str()) != 0);
  std::string const drive = root.substr(0, 2);
  REQUIRE(drive.back() == ':');
  for (std::string const& path :
       {root + "/projects/p/s1.jsonl", root + "\\projects\\p\\s1.jsonl", root + "\\projects/p\\s1.jsonl",
        std::string("projects\\p\\s1.jsonl"), std::string("projects/p/s1.jsonl"),
        std::string(".\\projects\\p\\s1.jsonl"), drive + "projects\\p\\s1.jsonl", root + "\\projects\\p\\"}) {
    INFO(path);
    auto const store = sk::open_foreign(path);
    CHECK(store.ok());
    if (!store) continue;
    REQUIRE((*store)->conversations().size() == 1);
    CHECK((*store)->conversations().front().id.str() == "s1");
  }
  CHECK(::SetCurrentDirectoryW(before) != 0);
}

TEST_CASE("no error gives advice for another system") {
  TempDir const dir;
  for (int fault = 0; fault <= static_cast<int>(SystemFault::other); ++fault) {
    int const code = sk::detail::system_code(static_cast<SystemFault>(fault));
    std::string const message = sk::detail::file_error(code, "log", "cannot write it").message;
    INFO(message);
    for (char const* const word : {"chmod", "ulimit", "mount"})
      CHECK(message.find(word) == std::string::npos);
    CHECK(message.substr(message.size() - 2) != "; ");
  }
  std::string const root = dir / "shared";
  REQUIRE(ops().make_directory(working_directory, root.c_str()) == 0);
  open_to_everybody(root);
  auto const refused = sk::open_file_store(root);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == sk::Errc::unsafe_path);
  CHECK(refused.error().message.find("chmod") == std::string::npos);
  CHECK(refused.error().message.find("take the right to write from others") != std::string::npos);
}

TEST_CASE("a rename or removal that stays refused names both causes") {
  Folder folder;
  put(folder.open("draft", appending | OpenFlags::only_new), "new");
  File const log = folder.open("log", appending | OpenFlags::only_new);
  HANDLE const scanner = unshared(folder.dir / "draft");
  REQUIRE(scanner != INVALID_HANDLE_VALUE);
  int const renamed = ops().rename(folder.get(), "draft", folder.get(), "other", false);
  CHECK(sk::detail::fault_of(renamed) == SystemFault::in_use);
  ::CloseHandle(scanner);
  sk::Error const error = sk::detail::file_error(ERROR_ACCESS_DENIED, "log", "cannot write it");
  CHECK(error.message.find("give this user the right to it") != std::string::npos);
  CHECK(error.message.find("end the other program that has it open") != std::string::npos);
  if (!is_wine()) return; // which answers so while a file is open, even for those who share it
  int const replaced = ops().rename(folder.get(), "draft", folder.get(), "log", true);
  CHECK(sk::detail::fault_of(replaced) == SystemFault::no_access);
}
