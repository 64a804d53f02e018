// SPDX-License-Identifier: MIT
// Syncs a file once for all threads that wait, and remembers a sync that failed.
#pragma once
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/transcript/file_sync.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace file_sync_inl { namespace {
constexpr std::array<char const*, 3> paths_up{"..", "../..", "../../.."};
}}

FileSync::FileSync(FileOps& ops, FilePlace place)
    : ops_(&ops),
      place_(std::move(place)),
      beside_(place_.directory == working_directory ? parent_directory(place_.name) : std::string()) {}

Result<void> FileSync::reach(SyncedFile& file, std::uint64_t end) {
  std::unique_lock<std::mutex> lock(mutex_);
  unsigned const generation = file.generation_;
  auto const covered = [&] { return file.generation_ == generation && file.durable_ >= end && file.named_; };
  done_.wait(lock, [&] { return !busy_ || covered(); });
  if (covered()) return {};
  int failed = -failure_;
  if (failed == 0) {
    busy_ = true;
    std::uint64_t const covers = std::max(end, file.written.load(std::memory_order_acquire));
    bool const named = file.named_;
    std::uint64_t const again = file.written_again;
    lock.unlock(); // others may append, and queue, while the disk works
    failed = sync_now(file.file.get(), named);
    lock.lock();
    busy_ = false;
    if (failed < 0) {
      ops_->doubts().note(file.identity(), file.durable_);
      failure_.store(-failed, std::memory_order_release);
    } else if (file.generation_ == generation) {
      file.durable_ = std::max(file.durable_, covers);
      file.named_ = true;
      last_durable_ = file.durable_;
    }
    if (failed == 0 && again != 0) ops_->doubts().settle(file.identity(), again);
    done_.notify_all();
  }
  if (failed == 0) return {};
  lock.unlock();
  Error failure =
      file_error(-failed, place_.path, detail::format_text("cannot sync the file up to offset {}", end));
  failure.code = Errc::poisoned;
  return failure;
}

void FileSync::forget(SyncedFile& file) {
  std::lock_guard<std::mutex> const lock(mutex_);
  ++file.generation_;
  file.durable_ = 0;
  file.written.store(0, std::memory_order_release);
}

Position FileSync::durable(SyncedFile const& file) const {
  std::lock_guard<std::mutex> const lock(mutex_);
  return Position{file.durable_};
}

Error FileSync::refusal() const {
  std::lock_guard<std::mutex> const lock(mutex_);
  return detail::make_error(Errc::poisoned, failure_.load(),
                            "{}: a sync failed earlier; what was appended behind offset {} is in doubt: open "
                            "the file again and look what it holds",
                            place_.path, last_durable_);
}

// The name of a new file or directory of another process may not be on the disk yet.
int FileSync::sync_now(int descriptor, bool named) noexcept {
  int failed = uninterrupted([&] { return ops_->sync_data(descriptor); });
  if (failed < 0 || named) return failed;
  failed = beside_.empty() ? uninterrupted([&] { return ops_->sync(place_.directory); })
                           : sync_directory_at(working_directory, beside_.c_str());
  for (std::size_t up = 0; up < place_.above && up < file_sync_inl::paths_up.size() && failed == 0; ++up) {
    failed = sync_directory_at(place_.directory, file_sync_inl::paths_up[up]);
    if (may_only_pass(failed)) return 0; // not ours to sync
  }
  return failed;
}

int FileSync::sync_directory_at(int directory, char const* path) noexcept {
  OpenFlags const flags = OpenFlags::directory | OpenFlags::follow_links;
  int const descriptor = uninterrupted([&] { return ops_->open(directory, path, flags); });
  if (descriptor < 0) return descriptor;
  OpenFile const opened(*ops_, descriptor);
  return uninterrupted([&] { return ops_->sync(descriptor); });
}

}}}
