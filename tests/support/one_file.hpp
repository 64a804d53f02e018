// SPDX-License-Identifier: MIT
// One file in memory behind the library's system calls: equivalent to one on a disk for code that reads and
// appends, and fast enough to be damaged a hundred thousand times.
#pragma once
#include <sessionkit/detail/base/file_ops.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace sessionkit_test {

namespace sk = sessionkit;

class OneFile : public sk::detail::FileOps {
 public:
  explicit OneFile(std::string content = {}) : bytes(std::move(content)) {}
  std::string bytes;

  int open(int, char const*, sk::detail::OpenFlags flags) override {
    return has(flags, sk::detail::OpenFlags::only_new) ? -EEXIST : 3;
  }
  int close(int) override { return 0; }
  std::int64_t pread(int, char* to, std::size_t count, std::uint64_t offset) override {
    std::size_t const from = std::min<std::size_t>(static_cast<std::size_t>(offset), bytes.size());
    std::size_t const got = std::min(count, bytes.size() - from);
    if (got != 0) std::memcpy(to, bytes.data() + from, got);
    return static_cast<std::int64_t>(got);
  }
  std::int64_t write(int, char const* from, std::size_t count) override {
    bytes.append(from, count);
    ++changes_;
    return static_cast<std::int64_t>(count);
  }
  std::int64_t pwrite(int, char const* from, std::size_t count, std::uint64_t offset) override {
    auto const at = static_cast<std::size_t>(offset);
    if (bytes.size() < at + count) bytes.resize(at + count);
    bytes.replace(at, count, from, count);
    ++changes_;
    return static_cast<std::int64_t>(count);
  }
  int sync_data(int) override { return 0; }
  int sync(int) override { return 0; }
  int status(int, sk::detail::FileStatus& out) override {
    out = sk::detail::FileStatus{};
    out.kind = sk::detail::FileStatus::regular;
    out.device = out.inode = out.links = 1;
    out.size = bytes.size();
    out.modified_ns = changes_;
    out.mode = 0600;
    return 0;
  }
  int status_at(int, char const*, sk::detail::FileStatus& out) override { return status(0, out); }
  int try_lock(int) override { return 0; }
  int unlock(int) override { return 0; }
  sk::detail::LockHolder lock_holder(int) override { return {}; }
  int set_mode(int, unsigned) override { return 0; }
  int make_directory(int, char const*) override { return -EROFS; }
  int rename(int, char const*, int, char const*, bool) override { return -EROFS; }
  int unlink(int, char const*) override { return -EROFS; }
  int list(int, sk::detail::FileNames&) override { return -ENOTDIR; }
  int file_system(int, std::string_view&) override { return 0; }
  int process() override { return 1; }
  unsigned user() override { return 0; }
  std::chrono::steady_clock::time_point now() override { return {}; }
  std::int64_t wall_ns() override { return 0; }
  void pause(std::chrono::milliseconds) override {}

 private:
  std::int64_t changes_ = 0;
};

}
