// SPDX-License-Identifier: MIT
// System calls that are counted and fail on request.
#pragma once
#include <sessionkit/detail/base/file_ops.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace sessionkit_test {

namespace sk = sessionkit;

enum class Call {
  open,
  close,
  pread,
  write,
  pwrite,
  sync_data,
  sync,
  status,
  status_at,
  lock,
  unlock,
  mode,
  mkdir,
  rename,
  unlink,
  list,
  file_system,
  process,
  user,
  count
};

inline char const* name_of(Call call) {
  constexpr std::array<char const*, static_cast<std::size_t>(Call::count)> names{
      "open",   "close",     "pread",       "write",   "pwrite", "sync_data", "sync",
      "status", "status_at", "lock",        "unlock",  "mode",   "mkdir",     "rename",
      "unlink", "list",      "file_system", "process", "user"};
  return names[static_cast<std::size_t>(call)];
}

/// A failing close still closes the descriptor: else its lock would outlive the test. A lock must be released
/// before its file is closed, because a forked child may have the same open file: else the test is aborted.
class FaultyFileOps : public sk::detail::FileOps {
 public:
  FaultyFileOps() : FaultyFileOps(sk::detail::system_file_ops()) {}
  /// Uses other calls than the system's; syncs then reach them.
  explicit FaultyFileOps(sk::detail::FileOps& inner)
      : inner_(&inner), syncs_(&inner != &sk::detail::system_file_ops()) {}

  /// From the call of this number on (the first is 0) fails with `error`; once, or always after.
  struct Fault {
    std::int64_t at = -1;
    int error = sk::detail::system_code(sk::detail::SystemFault::input_or_output);
    bool sticky = false;
    bool short_write = false; // instead of `error`, a write takes half of the bytes (and others work)
  } fault;
  /// Narrows the fault to one kind of call; `at` then counts these.
  Call only = Call::count;

  std::int64_t calls() const { return total_; }
  std::int64_t calls(Call call) const {
    return call == Call::process ? process_calls_.load() : counts_[static_cast<std::size_t>(call)];
  }
  std::uint64_t bytes_read = 0, bytes_written = 0, largest_read = 0;
  std::int64_t fired = 0;
  int pretend_process = 0;          // 0: the real one
  std::string_view pretend_network; // empty: the real one
  std::optional<sk::detail::TimeScope> pretend_scope;
  std::int64_t wall_shift_ns = 0;
  std::chrono::milliseconds paused{0};
  std::function<void()> on_pause;
  std::function<void(Call)> before;

  void reset() {
    total_ = fired = 0;
    counts_.fill(0);
    process_calls_ = 0;
    bytes_read = bytes_written = largest_read = 0;
    fault = {};
    only = Call::count;
  }

  int open(int directory, char const* name, sk::detail::OpenFlags flags) override {
    return fails(Call::open) ? -fault.error : real().open(directory, name, flags);
  }
  int close(int descriptor) override {
    bool const failed = fails(Call::close);
    check_unlocked(descriptor);
    int const result = real().close(descriptor);
    return failed ? -fault.error : result;
  }
  std::int64_t pread(int descriptor, char* to, std::size_t bytes, std::uint64_t offset) override {
    if (fails(Call::pread)) return -fault.error;
    std::int64_t const got = real().pread(descriptor, to, bytes, offset);
    if (got > 0) bytes_read += static_cast<std::uint64_t>(got);
    largest_read = std::max<std::uint64_t>(largest_read, bytes);
    return got;
  }
  std::int64_t write(int descriptor, char const* from, std::size_t bytes) override {
    if (fails(Call::write)) {
      if (!fault.short_write) return -fault.error;
      bytes = cut ? cut(bytes) : bytes / 2;
    }
    std::int64_t const put = real().write(descriptor, from, bytes);
    if (put > 0) bytes_written += static_cast<std::uint64_t>(put);
    return put;
  }
  std::int64_t pwrite(int descriptor, char const* from, std::size_t bytes, std::uint64_t offset) override {
    if (fails(Call::pwrite)) return -fault.error;
    std::int64_t const put = real().pwrite(descriptor, from, bytes, offset);
    if (put > 0) bytes_written += static_cast<std::uint64_t>(put);
    return put;
  }
  /// How many bytes a short write takes.
  std::function<std::size_t(std::size_t)> cut;

  /// These calls of the system are counted, not done: the test does not cut the power.
  int sync_data(int d) override {
    return fails(Call::sync_data) ? -fault.error : syncs_ ? real().sync_data(d) : 0;
  }
  int sync(int d) override { return fails(Call::sync) ? -fault.error : syncs_ ? real().sync(d) : 0; }
  int status(int d, sk::detail::FileStatus& out) override {
    return fails(Call::status) ? -fault.error : real().status(d, out);
  }
  int status_at(int directory, char const* name, sk::detail::FileStatus& out) override {
    return fails(Call::status_at) ? -fault.error : real().status_at(directory, name, out);
  }
  int status_at_without_time(int directory, char const* name, sk::detail::FileStatus& out) override {
    return fails(Call::status_at) ? -fault.error : real().status_at_without_time(directory, name, out);
  }
  int try_lock(int d) override {
    int const result = fails(Call::lock) ? -fault.error : real().try_lock(d);
    std::lock_guard<std::mutex> const lock(mutex_);
    if (result == 0) locked_.insert(d);
    return result;
  }
  int unlock(int d) override {
    {
      std::lock_guard<std::mutex> const lock(mutex_);
      locked_.erase(d); // if this fails, only closing is left
    }
    return fails(Call::unlock) ? -fault.error : real().unlock(d);
  }
  sk::detail::LockHolder lock_holder(int d) override { return real().lock_holder(d); }
  int set_mode(int d, unsigned mode) override {
    return fails(Call::mode) ? -fault.error : real().set_mode(d, mode);
  }
  int make_directory(int directory, char const* name) override {
    return fails(Call::mkdir) ? -fault.error : real().make_directory(directory, name);
  }
  int rename(int from_dir, char const* from, int to_dir, char const* to, bool replace) override {
    return fails(Call::rename) ? -fault.error : real().rename(from_dir, from, to_dir, to, replace);
  }
  int unlink(int directory, char const* name) override {
    return fails(Call::unlink) ? -fault.error : real().unlink(directory, name);
  }
  int list(int directory, sk::detail::FileNames& names) override {
    return fails(Call::list) ? -fault.error : real().list(directory, names);
  }
  int file_system(int d, std::string_view& network) override {
    if (fails(Call::file_system)) return -fault.error;
    int const result = real().file_system(d, network);
    if (!pretend_network.empty()) network = pretend_network;
    return result;
  }
  int time_scope(int d, sk::detail::TimeScope& out) override {
    if (fails(Call::file_system)) return -fault.error;
    int const result = real().time_scope(d, out);
    if (pretend_scope) out = *pretend_scope;
    return result;
  }
  int process() override {
    ++process_calls_; // not one of the calls that fail; and without the lock, which a forked child may find
                      // locked
    return pretend_process != 0 ? pretend_process : real().process();
  }
  unsigned user() override { return real().user(); }
  std::chrono::steady_clock::time_point now() override {
    return std::chrono::steady_clock::time_point{} + paused + std::chrono::hours{1};
  }
  std::int64_t wall_ns() override { return real().wall_ns() + wall_shift_ns; }
  void pause(std::chrono::milliseconds time) override {
    paused += time;
    if (on_pause) on_pause();
  }

 protected:
  sk::detail::FileOps& real() { return *inner_; }

  bool fails(Call call) {
    std::lock_guard<std::mutex> const lock(mutex_);
    if (before) before(call);
    std::int64_t const nth = only == call ? counts_[static_cast<std::size_t>(call)] : total_;
    ++total_;
    ++counts_[static_cast<std::size_t>(call)];
    if (fault.at < 0 || (only != Call::count && only != call)) return false;
    bool const now = fault.sticky ? nth >= fault.at : nth == fault.at;
    if (!now) return false;
    if (fault.short_write && call != Call::write) return false;
    ++fired;
    return true;
  }

 private:
  void check_unlocked(int descriptor) {
    std::lock_guard<std::mutex> const lock(mutex_);
    if (locked_.count(descriptor) == 0) return;
    std::fputs("a file was closed whose lock was not released; a forked child would keep it\n", stderr);
    std::abort();
  }

  sk::detail::FileOps* inner_;
  bool syncs_;
  std::atomic<std::int64_t> process_calls_{0};
  std::mutex mutex_;
  std::set<int> locked_; // descriptors
  std::int64_t total_ = 0;
  std::array<std::int64_t, static_cast<std::size_t>(Call::count)> counts_{};
};

}
