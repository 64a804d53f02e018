// SPDX-License-Identifier: MIT
// Each call on files, while each function of the system that it calls fails in each way.
#include "access.hpp"
#include "seam.hpp"
#include "support/catch.hpp"
#include "support/data.hpp"
#include "system_failures.hpp"

#include <sessionkit/detail/base/file_ops.hpp>

#include <functional>
#include <set>
#include <string>
#include <vector>

using namespace sessionkit_test;

namespace {

/// An open folder with a file "f", which is open too, and a folder "d".
struct Scene {
  TempDir dir;
  File folder{ops(), ops().open(working_directory, dir.path().c_str(), OpenFlags::directory)};
  File file{ops(), ops().open(folder.get(), "f", appending | OpenFlags::only_new)};
  File opened = {}; // by the call
  Scene() {
    REQUIRE(ops().write(file.get(), "text", 4) == 4);
    REQUIRE(ops().make_directory(folder.get(), "d") == 0);
  }

  int keep(int descriptor) {
    if (descriptor >= 0) opened = File(ops(), descriptor);
    return descriptor;
  }
  /// What the system's own functions show.
  std::string text(char const* name) const { return read_file(dir / name); }
  bool has(char const* name) const {
    return ::GetFileAttributesA((dir / name).c_str()) != INVALID_FILE_ATTRIBUTES;
  }
};

struct Operation {
  char const* name;
  std::function<std::int64_t(Scene&)> call;
  std::function<bool(Scene&)> is_done;
  bool closes = false; ///< the file is closed before the call, which wine needs to remove or replace it
};

std::vector<Operation> operations() {
  auto const with = [](auto use) { return [use](Scene& s) { return use(s); }; };
  return {
      {"open", with([](Scene& s) { return s.keep(ops().open(s.folder.get(), "f", appending)); }),
       [](Scene& s) {
         char c = 0;
         return ops().pread(s.opened.get(), &c, 1, 0) == 1 && c == 't';
       }},
      {"open a new file",
       with([](Scene& s) { return s.keep(ops().open(s.folder.get(), "n", appending | OpenFlags::create)); }),
       [](Scene& s) { return s.has("n"); }},
      {"open and cut", with([](Scene& s) {
         return s.keep(ops().open(s.folder.get(), "f", OpenFlags::write | OpenFlags::truncate));
       }),
       [](Scene& s) { return s.text("f").empty(); }},
      {"open a directory",
       with([](Scene& s) { return s.keep(ops().open(s.folder.get(), "d", OpenFlags::directory)); }),
       [](Scene& s) {
         sk::detail::FileNames names;
         return ops().list(s.opened.get(), names) == 0;
       }},
      {"open the directory above",
       with([](Scene& s) { return s.keep(ops().open(s.folder.get(), "../.", OpenFlags::directory)); }),
       [](Scene& s) { return s.opened.get() >= 0; }},
      {"pread", with([](Scene& s) {
         char c[4] = {};
         auto const got = ops().pread(s.file.get(), c, 4, 0);
         return got == 4 && std::string(c, 4) != "text" ? std::int64_t{0} : got;
       }),
       [](Scene&) { return true; }},
      {"write", with([](Scene& s) { return ops().write(s.file.get(), "s", 1); }),
       [](Scene& s) { return s.text("f") == "texts"; }},
      {"sync", with([](Scene& s) { return ops().sync_data(s.file.get()); }), [](Scene&) { return true; }},
      {"sync of a directory", with([](Scene& s) { return ops().sync(s.folder.get()); }),
       [](Scene&) { return true; }},
      {"status", with([](Scene& s) {
         FileStatus status;
         int const failed = ops().status(s.file.get(), status);
         REQUIRE(
             (failed < 0
              || (status.size == 4 && status.kind == FileStatus::regular && status.owner == ops().user())));
         return failed;
       }),
       [](Scene&) { return true; }},
      {"status_at", with([](Scene& s) {
         FileStatus status;
         int const failed = ops().status_at(s.folder.get(), "f", status);
         REQUIRE((failed < 0 || (status.size == 4 && (status.mode & 0777U) == 0600)));
         return failed;
       }),
       [](Scene&) { return true; }},
      {"try_lock", with([](Scene& s) { return ops().try_lock(s.file.get()); }),
       [](Scene& s) {
         File const other(ops(), ops().open(s.folder.get(), "f", appending));
         bool const locked = sk::detail::fault_of(ops().try_lock(other.get())) == SystemFault::would_wait;
         ops().unlock(s.file.get());
         return locked;
       }},
      {"set_mode", with([](Scene& s) { return ops().set_mode(s.file.get(), 0644); }),
       [](Scene& s) {
         FileStatus status;
         return ops().status(s.file.get(), status) == 0 && ops().set_mode(s.file.get(), 0600) == 0;
       }},
      {"set_mode of a file that everybody may use", with([](Scene& s) {
         open_to_everybody(s.dir / "f");
         return ops().set_mode(s.file.get(), 0600);
       }),
       [](Scene& s) {
         FileStatus status;
         return ops().status(s.file.get(), status) == 0 && (status.mode & 0777U) == 0600;
       }},
      {"make_directory", with([](Scene& s) { return ops().make_directory(s.folder.get(), "x"); }),
       [](Scene& s) { return s.has("x"); }},
      {"rename", with([](Scene& s) { return ops().rename(s.folder.get(), "f", s.folder.get(), "g", false); }),
       [](Scene& s) { return !s.has("f") && s.text("g") == "text"; }},
      {"rename over a file",
       with([](Scene& s) { return ops().rename(s.folder.get(), "f", s.folder.get(), "g", true); }),
       [](Scene& s) { return !s.has("f") && s.text("g") == "text"; }, true},
      {"unlink", with([](Scene& s) { return ops().unlink(s.folder.get(), "f"); }),
       [](Scene& s) { return !s.has("f"); }, true},
      {"list", with([](Scene& s) {
         sk::detail::FileNames names;
         int const failed = ops().list(s.folder.get(), names);
         REQUIRE((failed < 0 || names.size() == 2));
         return failed;
       }),
       [](Scene&) { return true; }},
      {"file_system", with([](Scene& s) {
         std::string_view network = "not set";
         int const failed = ops().file_system(s.folder.get(), network);
         REQUIRE((failed < 0 || network.empty()));
         return failed;
       }),
       [](Scene&) { return true; }},
      {"remove_directory", with([](Scene& s) { return sk::detail::remove_directory((s.dir / "d").c_str()); }),
       [](Scene& s) { return !s.has("d"); }},
  };
}

struct Import {
  char const* name;
  Reports reports;
};
constexpr Import imports[] = {
    {"NtCreateFile", Reports::status},
    {"NtSetInformationFile", Reports::status},
    {"NtQueryInformationFile", Reports::status},
    {"NtQueryVolumeInformationFile", Reports::status},
    {"NtQueryObject", Reports::status},
    {"ReadFile", Reports::last_error},
    {"WriteFile", Reports::last_error},
    {"FlushFileBuffers", Reports::last_error},
    {"LockFileEx", Reports::last_error},
    {"GetFileInformationByHandle", Reports::last_error},
    {"GetFileInformationByHandleEx", Reports::last_error},
    {"SetFileInformationByHandle", Reports::last_error},
    {"GetKernelObjectSecurity", Reports::last_error},
    {"SetKernelObjectSecurity", Reports::last_error},
    {"ReOpenFile", Reports::no_handle},
    {"SetSecurityInfo", Reports::code},
    {"GetFullPathNameW", Reports::last_error},
    {"GetFinalPathNameByHandleW", Reports::last_error},
};

/// A reason, as a status of the kernel and as an error code.
struct Reason {
  std::uint32_t status, code;
  SystemFault fault;
};
constexpr Reason reasons[] = {
    {0xC0000022, ERROR_ACCESS_DENIED, SystemFault::no_access},
    {0xC000007F, ERROR_DISK_FULL, SystemFault::no_space},
    {0xC0000185, ERROR_IO_DEVICE, SystemFault::input_or_output},
    {0xC00000A2, ERROR_WRITE_PROTECT, SystemFault::read_only},
    {0xC000011F, ERROR_TOO_MANY_OPEN_FILES, SystemFault::too_many_open},
    {0xC0000043, ERROR_SHARING_VIOLATION, SystemFault::in_use},
    {0xC000009A, ERROR_NO_SYSTEM_RESOURCES, SystemFault::other},
};

/// True if nobody has the file open: others then may open it without sharing it.
bool is_closed(std::string const& path) {
  HANDLE const file = ::CreateFileA(path.c_str(), GENERIC_READ, 0, nullptr, OPEN_EXISTING, 0, nullptr);
  if (file == INVALID_HANDLE_VALUE) return false;
  ::CloseHandle(file);
  return true;
}

/// Fails one call of the system after another within the operation. Returns how many failed.
int fail_each_call(Operation const& operation, Import const& import, Reason const& reason) {
  int fired = 0;
  for (int at = 0; at < 40; ++at) {
    INFO(operation.name << ", call " << at << " of " << import.name << ", error " << reason.code);
    Scene scene;
    if (operation.closes) scene.file.reset();
    std::int64_t result = 0;
    {
      bool const status = import.reports == Reports::status;
      SystemFailure const failure(import.name, import.reports, status ? reason.status : reason.code, at);
      result = operation.call(scene);
    }
    if (!SystemFailure::fired()) {
      CHECK(result >= 0);
      return fired;
    }
    ++fired;
    if (result >= 0) {
      CHECK(operation.is_done(scene)); // it did without the call, or repeated it
    } else {
      CHECK(sk::detail::fault_of(result) == reason.fault);
      CHECK(operation.call(scene) >= 0); // nothing is left behind that is in the way
      CHECK(operation.is_done(scene));
    }
    scene.opened.reset();
    scene.file.reset();
    for (char const* const name : {"f", "g", "n"})
      if (scene.has(name)) CHECK(is_closed(scene.dir / name));
  }
  FAIL("the operation does not end");
  return fired;
}

}

TEST_CASE("a directory of which the system knows no name is empty") {
  Scene scene; // of the root of an empty disk, the system does not list "." either
  File const folder(ops(), ops().open(scene.folder.get(), "d", OpenFlags::directory));
  sk::detail::FileNames names;
  bool listed = false;
  for (int at = 0; at < 2; ++at) {
    SystemFailure const failure("GetFileInformationByHandleEx", Reports::last_error, ERROR_FILE_NOT_FOUND,
                                at);
    listed = listed || ops().list(folder.get(), names) == 0;
    CHECK(SystemFailure::fired());
  }
  CHECK(listed);
  CHECK(names.size() == 0);
}

TEST_CASE("each call on files does its work or reports the reason of the system, whatever fails") {
  int fired = 0;
  std::set<std::string> reached;
  for (Import const& import : imports) {
    for (Operation const& operation : operations())
      for (Reason const& reason : reasons) {
        int const failed = fail_each_call(operation, import, reason);
        fired += failed;
        if (failed > 0) reached.insert(import.name);
      }
    INFO(import.name);
    CHECK(reached.count(import.name) == 1); // an operation calls it
  }
  std::printf("%d calls of %zu functions of the system failed\n", fired, reached.size());
}
