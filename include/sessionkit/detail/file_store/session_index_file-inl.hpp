// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/base/crc32c.hpp>
#include <sessionkit/detail/file_store/session_index.hpp>
#include <sessionkit/ids.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include <fcntl.h>
#include <sys/mman.h>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace {
constexpr char const* index_name = "sessions.json";
constexpr char const* index_lock_name = ".lock";
constexpr std::size_t index_piece = std::size_t{256} << 10; // stays in the processor's cache
constexpr std::size_t large_page = std::size_t{2} << 20;

// Memory for the text of a large index: to have it in small pages costs as much as reading into it.
std::unique_ptr<char[]> index_memory(std::size_t bytes) {
  std::unique_ptr<char[]> memory(new char[bytes]); // not cleared: it is read into at once
#if defined(MADV_HUGEPAGE)
  void* begin = memory.get();
  std::size_t left = bytes;
  if (std::align(large_page, large_page, begin, left) != nullptr)
    ::madvise(begin, left / large_page * large_page, MADV_HUGEPAGE); // a wish
#endif
  return memory;
}
}

IndexFile::IndexFile(FileOps& ops, int directory, std::string root, bool synced, IndexCodec const& codec)
    : ops_(&ops),
      directory_(directory),
      root_(std::move(root)),
      path_(root_ + "/" + index_name),
      synced_(synced),
      codec_(codec) {}

IndexFile::State IndexFile::load(SessionIndex& out) { return read(out); }

// Programs that write the file in place may be at it.
IndexFile::State IndexFile::read(SessionIndex& out) {
  State state = look(out);
  for (int tries = 0; state == State::unreadable && failure_.code == Errc::corrupt && tries < 3; ++tries) {
    ops_->pause(std::chrono::milliseconds{10});
    state = look(out);
  }
  return state;
}

IndexFile::State IndexFile::look(SessionIndex& out) {
  out = {};
  seen_ = {};
  auto const cannot = [this](Error error) { // an alien entry is moved aside, what may be ours is left alone
    State const state = error.code == Errc::unsafe_path ? State::unreadable : State::unavailable;
    failure_ = std::move(error);
    return state;
  };
  Result<OpenFile> const file = open_for_reading(*ops_, directory_, index_name, false, path_);
  if (!file && file.error().code == Errc::not_found) return State::missing;
  if (!file) return cannot(file.error());
  FileStatus now;
  int const failed = ops_->status(file->get(), now);
  if (failed < 0) return cannot(file_error(-failed, path_, "cannot look at the index"));
  auto const size = static_cast<std::size_t>(now.size);
  IndexText text{index_memory(size), size};
  auto const sealed = static_cast<std::size_t>(sealed_bytes(now.size));
  std::uint32_t crc = 0; // of what is sealed
  SealedRows rows;
  for (std::size_t at = 0, bytes = 0; at < size; at += bytes) {
    bytes = std::min(index_piece, (at < sealed ? sealed : size) - at);
    if (auto r = read_exactly(*ops_, file->get(), text.bytes.get() + at, bytes, at, path_); !r)
      return cannot(r.error());
    if (at >= sealed) continue;
    crc = crc32c(text.view().substr(at, bytes), crc);
    if (codec_.sealed) rows.look(text.view().substr(0, at + bytes));
  }
  seen_ = now;
  print_ = {now.size, crc32c(text.view().substr(sealed), crc)};
  if (std::optional<SessionIndex> found = rows.take(text, crc)) return out = std::move(*found), State::good;
  Result<SessionIndex> index = codec_.parse(text.view());
  if (!index) {
    seen_ = {}; // so that a later `replace` looks again, and moves it aside
    failure_ = index.error();
    return State::unreadable;
  }
  out = std::move(*index);
  return State::good;
}

Result<OpenFile> IndexFile::lock(std::chrono::milliseconds wait) {
  std::string const path = root_ + "/" + index_lock_name;
  int const flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
  int const descriptor = uninterrupted([&] { return ops_->open(directory_, index_lock_name, flags, 0600); });
  if (descriptor < 0) return file_error(-descriptor, path, "cannot open the lock file");
  OpenFile file(*ops_, descriptor);
  FileStatus status;
  int failed = ops_->status(descriptor, status);
  if (failed == 0 && status.kind != FileStatus::regular)
    return Error{Errc::unsafe_path, 0, path + ": not a regular file; remove it"};
  if (failed == 0 && status.mode != 0600 && status.owner == ops_->user())
    failed = ops_->set_mode(descriptor, 0600);
  if (failed < 0) return file_error(-failed, path, "cannot set the lock file's mode");
  if (auto r = lock_within(*ops_, descriptor, wait, path); !r) return r.error();
  return file;
}

Result<void> IndexFile::write_new(std::string const& name, std::string const& text) {
  int const flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
  int const descriptor = uninterrupted([&] { return ops_->open(directory_, name.c_str(), flags, 0600); });
  if (descriptor < 0) return file_error(-descriptor, root_ + "/" + name, "cannot make a new index");
  OpenFile const file(*ops_, descriptor);
  int failed = ops_->set_mode(descriptor, 0600);
  for (std::size_t done = 0; failed == 0 && done < text.size();) {
    auto const put =
        uninterrupted([&] { return ops_->write(descriptor, text.data() + done, text.size() - done); });
    if (put <= 0)
      failed = put == 0 ? -EIO : static_cast<int>(put);
    else
      done += static_cast<std::size_t>(put);
  }
  if (failed == 0 && synced_) failed = uninterrupted([&] { return ops_->sync(descriptor); });
  if (failed == 0) failed = ops_->rename(directory_, name.c_str(), directory_, index_name, true);
  if (failed == 0) {
    if (ops_->status(descriptor, seen_) < 0) seen_ = {};
    print_ = {text.size(), crc32c(text)};
    return {};
  }
  ops_->unlink(directory_, name.c_str());
  return file_error(-failed, path_, "cannot write a new index");
}

// Somebody's file that we cannot read is not ours to destroy.
Result<void> IndexFile::move_aside() {
  std::string const name = fmt::format("{}.unreadable-{}", index_name, random_entry_id());
  int const failed = ops_->rename(directory_, index_name, directory_, name.c_str(), false);
  if (failed < 0) return file_error(-failed, path_, "cannot move the unreadable index aside");
  return {};
}

bool IndexFile::is_missing() {
  FileStatus ignored;
  return ops_->status_at(directory_, index_name, ignored) == -ENOENT;
}

std::optional<bool> IndexFile::unchanged() {
  FileStatus now;
  int const failed = ops_->status_at(directory_, index_name, now);
  if (failed < 0 && failed != -ENOENT) return std::nullopt;
  return failed < 0 ? seen_.inode == 0 : now.same_version(seen_);
}

Result<void> IndexFile::replace(std::function<std::string(bool, SessionIndex)> const& make,
                                std::chrono::milliseconds lock_wait, std::function<void()> const& done) {
  Result<OpenFile> const held = lock(lock_wait);
  if (!held) return held.error();
  FileStatus now;
  int const failed = ops_->status_at(directory_, index_name, now);
  bool changed = failed < 0 ? seen_.inode != 0 : !now.same_version(seen_);
  SessionIndex disk;
  if (changed || seen_.inode == 0) {
    State const state = read(disk);
    if (state == State::unavailable) return failure_;
    changed = state == State::good;
    if (state == State::unreadable)
      if (auto r = move_aside(); !r) return r;
  }
  std::string const text = make(changed, std::move(disk));
  if (auto r = write_new(fmt::format(".{}.{}", index_name, random_entry_id()), text); !r) return r;
  if (done) done();
  return synced_ ? sync_directory(*ops_, directory_, root_) : Result<void>{};
}

}}}
