// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/file_ops.hpp>

#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Answers whether a directory has a file under this name in other capital letters. `name` may be a path
/// below the directory; only its last part counts. False if nothing has the name.
using LooksForOtherName = bool (*)(int directory, char const* name);

/// The calls of `Base`, on a system that takes `Foo` and `foo` for one name. Below an open directory, these
/// calls find a file by its exact name only. The letters of directories do not matter.
template <class Base, LooksForOtherName NamedOtherwise> class ExactNames final : public Base {
 public:
  int open(int directory, char const* name, OpenFlags flags) override {
    if (has(flags, OpenFlags::directory)) return Base::open(directory, name, flags);
    SystemFault const refusal = has(flags, OpenFlags::create) || has(flags, OpenFlags::only_new)
                                    ? SystemFault::other_case
                                    : SystemFault::missing;
    // If an open would empty the file, its name is checked before. Otherwise the name is checked after the
    // open, so that no process can create the file between the two calls.
    if (has(flags, OpenFlags::truncate) && is_in_other_case(directory, name)) return -system_code(refusal);
    int const opened = Base::open(directory, name, flags);
    if (opened < 0 ? fault_of(opened) != SystemFault::exists : has(flags, OpenFlags::only_new)) return opened;
    if (!is_in_other_case(directory, name)) return opened;
    if (opened >= 0) (void)Base::close(opened);
    return -system_code(refusal);
  }
  int status_at(int directory, char const* name, FileStatus& out) override {
    FileStatus found;
    int const failed = Base::status_at(directory, name, found);
    if (failed < 0) return failed;
    if (found.kind != FileStatus::directory && has_other_letters(directory, name)) return missing();
    out = found;
    return 0;
  }
  int rename(int from_directory, char const* from, int to_directory, char const* to, bool replace) override {
    if (is_in_other_case(from_directory, from)) return missing();
    if (is_in_other_case(to_directory, to))
      return -system_code(replace ? SystemFault::other_case : SystemFault::exists);
    return Base::rename(from_directory, from, to_directory, to, replace);
  }
  int unlink(int directory, char const* name) override {
    return is_in_other_case(directory, name) ? missing() : Base::unlink(directory, name);
  }

 private:
  static int missing() noexcept { return -system_code(SystemFault::missing); }
  static bool has_other_letters(int directory, char const* name) {
    return directory != working_directory && NamedOtherwise(directory, name);
  }
  bool is_in_other_case(int directory, char const* name) {
    FileStatus found;
    return has_other_letters(directory, name) && Base::status_at(directory, name, found) == 0
           && found.kind != FileStatus::directory;
  }
};

}}}
