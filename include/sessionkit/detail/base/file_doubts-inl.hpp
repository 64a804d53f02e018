// SPDX-License-Identifier: MIT
// Remembers the files for which a sync failed, until their bytes are written again.
#pragma once
#include <sessionkit/detail/base/file_doubts.hpp>

#include <algorithm>

namespace sessionkit { inline namespace v0 { namespace detail {

void FileDoubts::note(File const& file, std::uint64_t from) {
  std::lock_guard<Mutex> const lock(mutex_);
  std::uint64_t const failure = failures_.fetch_add(1) + 1;
  auto const found = files_.find(file);
  if (found != files_.end())
    found->second = {std::min(found->second.from, from), failure};
  else if (files_.size() < most_files)
    files_.emplace(file, Doubt{from, failure});
  else
    overflowed_ = true;
}

std::optional<FileDoubts::Doubt> FileDoubts::find(File const& file) const {
  if (failures_.load() == 0) return std::nullopt;
  std::lock_guard<Mutex> const lock(mutex_);
  auto const found = files_.find(file);
  if (found != files_.end()) return found->second;
  return overflowed_ ? std::optional(Doubt{0, failures_.load()}) : std::nullopt;
}

void FileDoubts::settle(File const& file, std::uint64_t failure) {
  std::lock_guard<Mutex> const lock(mutex_);
  auto const found = files_.find(file);
  if (found != files_.end() && found->second.failure == failure && !overflowed_) files_.erase(found);
}

}}}
