// SPDX-License-Identifier: MIT
// A disk behind a page cache, and processes that use it: the result of power cuts and failing syncs is drawn
// from a seed. It promises no more than POSIX does: a sync that succeeded keeps a file's bytes and size, or a
// directory's names; any other page or sector may survive or not, in any order; a file keeps its times, also
// if it loses bytes; a rename is complete or not done; the error of a sync is reported once to each process
// with the file open, and the pages it lost count as clean from then on.
#pragma once
#include "support/random.hpp"

#include <sessionkit/detail/base/file_ops.hpp>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace sessionkit_test {

namespace sk = sessionkit;

class ModelDisk {
 public:
  static constexpr std::size_t page = 4096, sector = 512;
  using Inode = std::uint64_t;

  explicit ModelDisk(std::uint64_t seed);

  /// Cuts the power: the content of the platter replaces what processes saw. All processes end.
  void cut_power();

  /// The bytes of a file as processes see them; absent if there is no such file.
  std::optional<std::string> contents(std::string const& path) const;
  std::vector<std::string> names(std::string const& path) const;

  Random random;

 private:
  friend class ModelProcess;
  struct Node {
    bool is_directory = false;
    unsigned mode = 0;
    Inode parent = 0;
    std::int64_t modified_ns = 0;
    std::string seen, kept;      // a file: in the cache, on the platter
    std::set<std::size_t> dirty; // pages
    bool size_dirty = false;
    unsigned errors = 0;                            // syncs that failed
    std::map<std::string, Inode> names, kept_names; // a directory
    void const* locked_by = nullptr;
  };
  struct Description {
    Inode inode = 0;
    unsigned reported = 0; // of the node's errors
    bool appends = false;
    std::uint64_t offset = 0;
  };
  struct Change {
    Inode directory;
    std::string name;
    std::optional<Inode> target;
  };
  using Operation = std::vector<Change>; // whole or not at all

  Node& node(Inode inode) { return nodes_.at(inode); }
  std::optional<Inode> find(Inode from, std::string_view path) const;
  std::pair<std::optional<Inode>, std::string> place(Inode from, std::string_view path) const;
  void change(Operation operation);
  static void apply(std::map<Inode, Node>& nodes, Operation const& operation);
  Inode make(bool is_directory, unsigned mode, Inode parent);
  unsigned links(Inode inode) const;
  void write_page(Node& file, std::size_t number, bool torn);
  void settle_size(Node& file);
  int sync_file(Node& file, bool fails);
  int sync_names(Inode directory, bool fails);
  std::int64_t tick() { return clock_ += 1'000; }

  std::map<Inode, Node> nodes_;
  std::vector<Operation> pending_;
  Inode next_ = 1;
  int starts_ = 1; // of the machine
  std::int64_t clock_ = 1'700'000'000'000'000'000;
  static constexpr Inode root = 1;
};

/// The system calls of one process on the disk. After its death no call has any effect.
class ModelProcess : public sk::detail::FileOps {
 public:
  ModelProcess(ModelDisk& disk, int number) : disk_(&disk), number_(number) {}
  ~ModelProcess() override { die(); }

  /// Frees its locks and closes its descriptors; its writes stay in the cache.
  void die();
  bool dead() const noexcept { return dead_; }
  /// The next write stops at a random byte, and the process ends.
  void die_in_next_write() noexcept { dies_writing_ = true; }
  /// The next sync fails and loses pages.
  void fail_next_sync() noexcept { fails_sync_ = true; }
  /// The next sync of a directory fails and loses names: processes see them, and no later sync tries them.
  void fail_next_name_sync() noexcept { fails_name_sync_ = true; }

  int open(int directory, char const* name, sk::detail::OpenFlags flags) override;
  int close(int descriptor) override;
  std::int64_t pread(int descriptor, char* to, std::size_t bytes, std::uint64_t offset) override;
  std::int64_t write(int descriptor, char const* from, std::size_t bytes) override;
  std::int64_t pwrite(int descriptor, char const* from, std::size_t bytes, std::uint64_t offset) override;
  int sync_data(int descriptor) override { return sync(descriptor); }
  int sync(int descriptor) override;
  int status(int descriptor, sk::detail::FileStatus& out) override;
  int status_at(int directory, char const* name, sk::detail::FileStatus& out) override;
  int try_lock(int descriptor) override;
  int unlock(int descriptor) override;
  sk::detail::LockHolder lock_holder(int) override { return {}; }
  int set_mode(int descriptor, unsigned mode) override;
  int make_directory(int directory, char const* name) override;
  int rename(int from_directory, char const* from, int to_directory, char const* to, bool replace) override;
  int unlink(int directory, char const* name) override;
  int list(int directory, sk::detail::FileNames& names) override;
  int file_system(int, std::string_view&) override { return 0; }
  int time_scope(int, sk::detail::TimeScope& out) override {
    out = {"start " + std::to_string(disk_->starts_), true};
    return 0;
  }
  int process() override { return number_; }
  unsigned user() override { return 1000; }
  std::chrono::steady_clock::time_point now() override { return now_; }
  std::int64_t wall_ns() override { return disk_->tick(); }
  void pause(std::chrono::milliseconds time) override { now_ += time; }

 private:
  std::optional<ModelDisk::Inode> base(int directory) const;
  ModelDisk::Description* description(int descriptor);
  std::int64_t write_to(ModelDisk::Node& file, char const* from, std::size_t bytes, std::size_t at);
  void describe(ModelDisk::Inode inode, sk::detail::FileStatus& out);

  ModelDisk* disk_;
  int number_;
  bool dead_ = false, dies_writing_ = false, fails_sync_ = false, fails_name_sync_ = false;
  std::chrono::steady_clock::time_point now_{std::chrono::hours{1}};
  std::map<int, ModelDisk::Description> open_;
  int next_descriptor_ = 3;
};

}
