// SPDX-License-Identifier: MIT
// System calls, one of which is faulty: a test that still passes with them proves nothing
// (T30).
#pragma once
#include <sessionkit/detail/base/file_ops.hpp>

#include <array>
#include <map>
#include <set>
#include <string>

namespace sessionkit_test {

namespace sk = sessionkit;

enum class Weakness {
  none,
  no_data_sync,      // a file's sync does nothing
  no_name_sync,      // a directory's sync does nothing
  no_sync_above,     // the directory above the store's is never synced
  hidden_sync_error, // a failed sync reports success
  no_lock,           // every lock is granted
  no_seal,           // the newline before a line is left out
  no_append,         // writes go to the offset of the descriptor
  split_write,       // a write is two
  short_is_whole,    // a short write reports full length
  same_file,         // any file at the path is taken for the open one
  no_link_check,     // links are followed
  no_kind_check,     // everything is a regular file with one name
  any_owner,         // everything is ours
  no_mode,           // the umask decides the mode
  no_fork_check,     // a child takes itself for its parent
  not_written_again, // what a failed sync lost is not written again
  any_file_system,   // every file system is a disk
  any_start,         // the start of the machine is taken for the one before it
  count
};

inline char const* name_of(Weakness weakness) {
  constexpr std::array<char const*, static_cast<std::size_t>(Weakness::count)> names{
      "none",          "no_data_sync",      "no_name_sync",    "no_sync_above", "hidden_sync_error",
      "no_lock",       "no_seal",           "no_append",       "split_write",   "short_is_whole",
      "same_file",     "no_link_check",     "no_kind_check",   "any_owner",     "no_mode",
      "no_fork_check", "not_written_again", "any_file_system", "any_start"};
  return names[static_cast<std::size_t>(weakness)];
}

class WeakFileOps : public sk::detail::FileOps {
 public:
  explicit WeakFileOps(Weakness weakness, sk::detail::FileOps& inner = sk::detail::system_file_ops())
      : weak_(weakness), inner_(&inner), process_(inner.process()) {}

  int open(int directory, char const* name, sk::detail::OpenFlags flags) override {
    if (weak_ == Weakness::no_link_check) flags = flags | sk::detail::OpenFlags::follow_links;
    if (weak_ == Weakness::no_append) flags = without(flags, sk::detail::OpenFlags::append);
    int const descriptor = inner_->open(directory, name, flags);
    sk::detail::FileStatus first;
    if (weak_ == Weakness::same_file && descriptor >= 0 && inner_->status(descriptor, first) == 0)
      first_.emplace(name, first);
    if (weak_ == Weakness::no_sync_above && std::string(name).find("..") != std::string::npos)
      above_.insert(descriptor);
    if (weak_ == Weakness::no_sync_above && std::string(name) == "/") above_.insert(descriptor);
    return descriptor;
  }
  int close(int descriptor) override {
    above_.erase(descriptor);
    return inner_->close(descriptor);
  }
  std::int64_t pread(int descriptor, char* to, std::size_t bytes, std::uint64_t offset) override {
    return inner_->pread(descriptor, to, bytes, offset);
  }
  std::int64_t write(int descriptor, char const* from, std::size_t bytes) override {
    if (weak_ == Weakness::no_seal && bytes > 1 && *from == '\n') {
      std::int64_t const put = inner_->write(descriptor, from + 1, bytes - 1);
      return put < 0 ? put : put + 1;
    }
    if (weak_ == Weakness::split_write && bytes > 1) {
      std::int64_t const first = inner_->write(descriptor, from, bytes / 2);
      if (first < 0) return first;
      std::int64_t const second =
          inner_->write(descriptor, from + first, bytes - static_cast<std::size_t>(first));
      return second < 0 ? second : first + second;
    }
    std::int64_t const put = inner_->write(descriptor, from, bytes);
    return weak_ == Weakness::short_is_whole && put >= 0 ? static_cast<std::int64_t>(bytes) : put;
  }
  std::int64_t pwrite(int descriptor, char const* from, std::size_t bytes, std::uint64_t offset) override {
    if (weak_ == Weakness::not_written_again) return static_cast<std::int64_t>(bytes);
    return inner_->pwrite(descriptor, from, bytes, offset);
  }
  int sync_data(int descriptor) override {
    if (weak_ == Weakness::no_data_sync) return 0;
    int const result = inner_->sync_data(descriptor);
    return weak_ == Weakness::hidden_sync_error ? 0 : result;
  }
  int sync(int descriptor) override {
    if (weak_ == Weakness::no_sync_above && above_.count(descriptor) > 0) return 0;
    sk::detail::FileStatus status;
    bool const known = inner_->status(descriptor, status) == 0;
    bool const names = known && status.kind == sk::detail::FileStatus::directory;
    if (weak_ == Weakness::no_name_sync && names) return 0;
    if (weak_ == Weakness::no_data_sync && known && !names) return 0;
    int const result = inner_->sync(descriptor);
    return weak_ == Weakness::hidden_sync_error ? 0 : result;
  }
  int status(int descriptor, sk::detail::FileStatus& out) override {
    int const result = inner_->status(descriptor, out);
    opened_ = out;
    return loosen(result, out);
  }
  int status_at(int directory, char const* name, sk::detail::FileStatus& out) override {
    int const result = inner_->status_at(directory, name, out);
    auto const first = first_.find(name);
    if (result == 0 && first != first_.end()) {
      out.device = first->second.device;
      out.inode = first->second.inode;
    }
    return loosen(result, out);
  }
  int try_lock(int descriptor) override {
    return weak_ == Weakness::no_lock ? 0 : inner_->try_lock(descriptor);
  }
  int unlock(int descriptor) override { return inner_->unlock(descriptor); }
  sk::detail::LockHolder lock_holder(int descriptor) override { return inner_->lock_holder(descriptor); }
  int set_mode(int descriptor, unsigned mode) override {
    return weak_ == Weakness::no_mode ? 0 : inner_->set_mode(descriptor, mode);
  }
  int make_directory(int directory, char const* name) override {
    return inner_->make_directory(directory, name);
  }
  int rename(int from_dir, char const* from, int to_dir, char const* to, bool replace) override {
    return inner_->rename(from_dir, from, to_dir, to, replace);
  }
  int unlink(int directory, char const* name) override { return inner_->unlink(directory, name); }
  int list(int directory, sk::detail::FileNames& names) override { return inner_->list(directory, names); }
  int file_system(int descriptor, std::string_view& network) override {
    int const result = inner_->file_system(descriptor, network);
    if (weak_ == Weakness::any_file_system) network = {};
    return result;
  }
  int time_scope(int descriptor, sk::detail::TimeScope& out) override {
    int const result = inner_->time_scope(descriptor, out);
    if (weak_ == Weakness::any_start && !out.name.empty()) out.name = "the only one";
    return result;
  }
  int process() override { return weak_ == Weakness::no_fork_check ? process_ : inner_->process(); }
  unsigned user() override { return weak_ == Weakness::any_owner ? opened_.owner : inner_->user(); }
  std::chrono::steady_clock::time_point now() override { return inner_->now(); }
  std::int64_t wall_ns() override { return inner_->wall_ns(); }
  void pause(std::chrono::milliseconds time) override { inner_->pause(time); }

 private:
  static sk::detail::OpenFlags without(sk::detail::OpenFlags flags, sk::detail::OpenFlags flag) {
    return static_cast<sk::detail::OpenFlags>(static_cast<unsigned>(flags) & ~static_cast<unsigned>(flag));
  }
  int loosen(int result, sk::detail::FileStatus& out) const {
    if (weak_ != Weakness::no_kind_check || out.kind == sk::detail::FileStatus::directory) return result;
    out.kind = sk::detail::FileStatus::regular;
    out.links = 1;
    return result;
  }

  Weakness weak_;
  sk::detail::FileOps* inner_;
  int process_;
  std::set<int> above_;
  std::map<std::string, sk::detail::FileStatus> first_; // the first file at each name
  sk::detail::FileStatus opened_;
};

}
