// SPDX-License-Identifier: MIT
// Refuses every call on files, because those of WASI have no locks.
#pragma once
#include <sessionkit/detail/base/file_ops.hpp>

#include <cerrno>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace file_ops_wasi_inl { namespace {

constexpr int refused = -ENOTSUP;

class NoFileOps final : public FileOps {
 public:
  int open(int, char const*, OpenFlags) override { return refused; }
  int close(int) override { return refused; }
  std::int64_t pread(int, char*, std::size_t, std::uint64_t) override { return refused; }
  std::int64_t write(int, char const*, std::size_t) override { return refused; }
  std::int64_t pwrite(int, char const*, std::size_t, std::uint64_t) override { return refused; }
  int sync_data(int) override { return refused; }
  int sync(int) override { return refused; }
  int status(int, FileStatus&) override { return refused; }
  int status_at(int, char const*, FileStatus&) override { return refused; }
  int try_lock(int) override { return refused; }
  int unlock(int) override { return refused; }
  LockHolder lock_holder(int) override { return {}; }
  int set_mode(int, unsigned) override { return refused; }
  int make_directory(int, char const*) override { return refused; }
  int rename(int, char const*, int, char const*, bool) override { return refused; }
  int unlink(int, char const*) override { return refused; }
  int list(int, FileNames&) override { return refused; }
  int file_system(int, std::string_view&) override { return refused; }

  int process() override { return 1; } // there are no others
  unsigned user() override { return 0; }
  std::chrono::steady_clock::time_point now() override { return std::chrono::steady_clock::now(); }
  std::int64_t wall_ns() override {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
  }
  void pause(std::chrono::milliseconds) override {}
};

}}

FileOps& system_file_ops() noexcept {
  static file_ops_wasi_inl::NoFileOps ops; // holds nothing
  return ops;
}

bool may_write(char const*) noexcept { return false; }

int remove_directory(char const*) noexcept { return file_ops_wasi_inl::refused; }

std::size_t name_begin(std::string_view path) noexcept { return path.find_last_of('/') + 1; } // npos + 1 is 0

std::size_t root_length(std::string_view path) noexcept {
  return !path.empty() && path.front() == '/' ? 1 : 0;
}

}}}
