// SPDX-License-Identifier: MIT
// Copies or moves replaced files into the quarantine folder.
#pragma once
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/transcript/quarantine.hpp>

#include <algorithm>
#include <memory>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace quarantine_inl { namespace {

constexpr std::size_t copied_at_once = std::size_t{1} << 20;
constexpr int most_names = 1000; // of one file at one time

// True if the file is called `<name>.<time>` or `<name>.<time>-<number>`. In `<name>.` another session's name
// may continue, but not with a time alone.
bool is_copy_of(std::string_view file, std::string_view name) {
  constexpr std::string_view time = "dddd-dd-ddTdddddd.dddZ";
  if (file.size() < name.size() + 1 + time.size() || file.substr(0, name.size()) != name) return false;
  auto const is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::string_view const rest = file.substr(name.size() + 1);
  for (std::size_t i = 0; i < time.size(); ++i)
    if (time[i] == 'd' ? !is_digit(rest[i]) : rest[i] != time[i]) return false;
  std::string_view const number = rest.substr(time.size());
  return file[name.size()] == '.'
         && (number.empty()
             || (number.front() == '-' && std::all_of(number.begin() + 1, number.end(), is_digit)));
}

}}

Quarantine::Quarantine(FileOps& ops, int directory, std::string path, Timestamp now)
    : ops_(&ops), directory_(directory), path_(std::move(path) + "/" + folder_name), time_(to_rfc3339(now)) {
  time_.erase(std::remove(time_.begin(), time_.end(), ':'), time_.end());
}

SESSIONKIT_SELDOM Result<void> Quarantine::open() {
  if (folder_) return {};
  int const made = ops_->make_directory(directory_, folder_name);
  if (made < 0 && fault_of(made) != SystemFault::exists)
    return file_error(-made, path_, "cannot make the quarantine");
  OpenFlags const flags = OpenFlags::directory;
  int const descriptor = uninterrupted([&] { return ops_->open(directory_, folder_name, flags); });
  if (descriptor < 0) return file_error(-descriptor, path_, "cannot open the quarantine");
  OpenFile folder(*ops_, descriptor);
  if (int const failed = made == 0 ? ops_->set_mode(descriptor, 0700) : 0; failed < 0)
    return file_error(-failed, path_, "cannot set the quarantine's mode");
  if (auto r = sync_directory(*ops_, directory_, path_); !r) return r;
  folder_ = std::move(folder);
  return {};
}

std::string Quarantine::name_of(std::string const& name, int tries) const {
  return tries == 0 ? detail::format_text("{}.{}", name, time_)
                    : detail::format_text("{}.{}-{}", name, time_, tries);
}

SESSIONKIT_SELDOM Result<std::string> Quarantine::copy(int descriptor, std::string const& name) {
  if (auto r = open(); !r) return r.error();
  std::string own;
  int made = -system_code(SystemFault::exists);
  OpenFlags const flags = OpenFlags::write | OpenFlags::only_new;
  for (int i = 0; i < quarantine_inl::most_names && fault_of(made) == SystemFault::exists; ++i) {
    own = name_of(name, i);
    made = uninterrupted([&] { return ops_->open(folder_.get(), own.c_str(), flags); });
  }
  std::string const path = path_ + "/" + own;
  if (made < 0) return file_error(-made, path, "cannot make a copy");
  OpenFile const file(*ops_, made);
  auto const fill = [&]() -> Result<void> {
    if (int const failed = ops_->set_mode(made, 0600); failed < 0)
      return file_error(-failed, path, "cannot set the copy's mode");
    auto const buffer = std::make_unique<char[]>(quarantine_inl::copied_at_once);
    for (std::uint64_t at = 0;;) {
      auto const got = uninterrupted(
          [&] { return ops_->pread(descriptor, buffer.get(), quarantine_inl::copied_at_once, at); });
      if (got < 0) return file_error(static_cast<int>(-got), path, "cannot read what is to be copied");
      if (got == 0) break;
      std::string_view const bytes(buffer.get(), static_cast<std::size_t>(got));
      if (auto r = write_fully(*ops_, made, bytes, path); !r) return r;
      at += bytes.size();
    }
    int const failed = uninterrupted([&] { return ops_->sync(made); });
    if (failed < 0) return file_error(-failed, path, "cannot sync the copy");
    return sync_directory(*ops_, folder_.get(), path_);
  };
  auto const filled = fill();
  if (filled) return path;
  (void)ops_->unlink(folder_.get(), own.c_str());
  return filled.error();
}

SESSIONKIT_SELDOM Result<void> Quarantine::forget(FileOps& ops, int directory, std::string const& root,
                                                  std::string const& name) {
  std::string const path = root + "/" + folder_name;
  int const descriptor =
      uninterrupted([&] { return ops.open(directory, folder_name, OpenFlags::directory); });
  if (fault_of(descriptor) == SystemFault::missing) return {};
  if (descriptor < 0) return file_error(-descriptor, path, "cannot open it");
  OpenFile const folder(ops, descriptor);
  FileNames names;
  if (int const failed = ops.list(descriptor, names); failed < 0)
    return file_error(-failed, path, "cannot list it");
  Result<void> done;
  names.each([&](std::string_view file) {
    if (!quarantine_inl::is_copy_of(file, name)) return;
    std::string const copy(file);
    int const failed = uninterrupted([&] { return ops.unlink(descriptor, copy.c_str()); });
    if (failed < 0 && fault_of(failed) != SystemFault::missing && done)
      done = file_error(-failed, path + "/" + copy, "cannot delete it");
  });
  return done;
}

Result<std::string> Quarantine::take(int from, std::string const& name) {
  if (auto r = open(); !r) return r.error();
  std::string own;
  int failed = -system_code(SystemFault::exists);
  for (int i = 0; i < quarantine_inl::most_names && fault_of(failed) == SystemFault::exists; ++i) {
    own = name_of(name, i);
    failed = ops_->rename(from, name.c_str(), folder_.get(), own.c_str(), false);
  }
  if (failed < 0) return file_error(-failed, path_ + "/" + own, "cannot move the file there");
  if (auto r = sync_directory(*ops_, folder_.get(), path_); !r) return r.error();
  if (auto r = sync_directory(*ops_, from, path_); !r) return r.error();
  return path_ + "/" + own;
}

Result<void> write_fully(FileOps& ops, int descriptor, std::string_view bytes, std::string_view path) {
  while (!bytes.empty()) {
    auto const put = uninterrupted([&] { return ops.write(descriptor, bytes.data(), bytes.size()); });
    if (put <= 0)
      return file_error(put == 0 ? system_code(SystemFault::no_space) : static_cast<int>(-put), path,
                        detail::format_text("cannot write {} bytes", bytes.size()));
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return {};
}

}}}
