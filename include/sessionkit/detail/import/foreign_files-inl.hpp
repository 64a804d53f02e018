// SPDX-License-Identifier: MIT
// Reads files of other programs below one root, from the disk or from memory.
#pragma once
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/import/foreign_files.hpp>

#include <algorithm>
#include <utility>

namespace sessionkit { inline namespace v0 {

namespace foreign_files_inl { namespace {

Error unsafe_name(std::string const& name) {
  return detail::make_error(Errc::unsafe_path,
                            "{}: the name leaves the folder that was opened; use a name below it", name);
}
Error too_long(std::string const& name, std::uint64_t size, std::uint64_t limit) {
  return detail::make_error(Errc::unsupported, "{}: {} bytes, but ImportLimits::max_file is {}; raise it",
                            name, size, limit);
}
Error too_many(std::string const& folder, std::size_t limit) {
  return detail::make_error(Errc::unsupported, "{}: more than {} names; raise ImportLimits::max_files",
                            folder, limit);
}

std::size_t depth_of(std::string_view name) {
  return static_cast<std::size_t>(std::count(name.begin(), name.end(), '/'));
}

class MemoryFiles final : public ForeignFiles {
 public:
  MemoryFiles(std::map<std::string, std::string> files, ImportLimits limits)
      : files_(std::move(files)), limits_(std::move(limits)) {}

  Result<std::vector<std::string>> list(std::string const& folder) override {
    std::string const prefix = folder.empty() || folder.back() == '/' ? folder : folder + '/';
    std::vector<std::string> names;
    for (auto file = files_.lower_bound(prefix); file != files_.end(); ++file) {
      if (file->first.compare(0, prefix.size(), prefix) != 0) break;
      std::size_t const slash = file->first.find('/', prefix.size());
      std::string name =
          file->first.substr(prefix.size(), slash == std::string::npos ? slash : slash + 1 - prefix.size());
      if (names.empty() || names.back() != name) names.push_back(std::move(name));
      if (names.size() > limits_.max_files) return too_many(folder, limits_.max_files);
    }
    if (names.empty() && !folder.empty())
      return detail::make_error(Errc::not_found, "{}: there is no such folder", folder);
    return names;
  }
  Result<std::uint64_t> size(std::string const& file) override {
    auto const found = files_.find(file);
    if (found == files_.end()) return detail::make_error(Errc::not_found, "{}: there is no such file", file);
    if (found->second.size() > limits_.max_file)
      return too_long(file, found->second.size(), limits_.max_file);
    return static_cast<std::uint64_t>(found->second.size());
  }
  Result<std::string> read(std::string const& file, std::uint64_t offset, std::size_t max) override {
    Result<std::uint64_t> const bytes = size(file);
    if (!bytes) return bytes.error();
    if (offset >= *bytes) return std::string{};
    return files_.find(file)->second.substr(static_cast<std::size_t>(offset), max);
  }
  Result<std::int64_t> modified(std::string const& file) override {
    Result<std::uint64_t> const bytes = size(file);
    if (!bytes) return bytes.error();
    return std::int64_t{0};
  }
  ImportLimits const& limits() const noexcept override { return limits_; }

 private:
  std::map<std::string, std::string> files_;
  ImportLimits limits_;
};

class DiskFiles final : public ForeignFiles {
 public:
  DiskFiles(detail::FileOps& ops, detail::OpenFile root, std::string path, ImportLimits limits)
      : ops_(ops), root_(std::move(root)), path_(std::move(path)), limits_(std::move(limits)) {}

  Result<std::vector<std::string>> list(std::string const& folder) override {
    Result<detail::OpenFile> const opened = folder_of(folder.empty() ? folder : folder + '/');
    if (!opened) return opened.error();
    int const directory = *opened ? opened->get() : root_.get();
    detail::FileNames found;
    int const failed = ops_.list(directory, found);
    if (failed < 0) return detail::file_error(-failed, path_ + '/' + folder, "cannot list the folder");
    if (found.size() > limits_.max_files) return too_many(folder, limits_.max_files);
    std::vector<std::string> names;
    found.each([&](std::string_view name) {
      detail::FileStatus status;
      std::string text(name);
      if (ops_.status_at(directory, text.c_str(), status) < 0) return; // it was removed meanwhile
      if (status.kind == detail::FileStatus::directory) names.push_back(text + '/');
      if (status.kind == detail::FileStatus::regular) names.push_back(std::move(text));
    });
    std::sort(names.begin(), names.end());
    return names;
  }
  Result<std::uint64_t> size(std::string const& file) override {
    detail::FileStatus status;
    Result<detail::OpenFile> const opened = open(file, status);
    if (!opened) return opened.error();
    return status.size;
  }
  Result<std::string> read(std::string const& file, std::uint64_t offset, std::size_t max) override {
    detail::FileStatus status;
    Result<detail::OpenFile> const opened = open(file, status);
    if (!opened) return opened.error();
    if (offset >= status.size) return std::string{};
    std::string text(static_cast<std::size_t>(std::min<std::uint64_t>(max, status.size - offset)), '\0');
    std::size_t got = 0;
    while (got < text.size()) {
      std::int64_t const n = detail::uninterrupted(
          [&] { return ops_.pread(opened->get(), &text[got], text.size() - got, offset + got); });
      if (n < 0) return detail::file_error(static_cast<int>(-n), path_ + '/' + file, "cannot read the file");
      if (n == 0) break; // it was cut meanwhile
      got += static_cast<std::size_t>(n);
    }
    text.resize(got);
    return text;
  }
  Result<std::int64_t> modified(std::string const& file) override {
    detail::FileStatus status;
    Result<detail::OpenFile> const opened = open(file, status);
    if (!opened) return opened.error();
    return status.modified_ns;
  }
  ImportLimits const& limits() const noexcept override { return limits_; }

 private:
  // The folder that contains `name`; a closed file for the root. No component may be a symbolic link.
  Result<detail::OpenFile> folder_of(std::string const& name) {
    if (!name.empty() && !is_inside_name(name.back() == '/' ? name.substr(0, name.size() - 1) : name))
      return unsafe_name(name);
    if (depth_of(name) > limits_.max_depth) return unsafe_name(name);
    detail::OpenFile folder;
    for (std::size_t at = 0, slash = 0; (slash = name.find('/', at)) != std::string::npos; at = slash + 1) {
      std::string const component = name.substr(at, slash - at);
      int const directory = folder ? folder.get() : root_.get();
      int const next = detail::uninterrupted(
          [&] { return ops_.open(directory, component.c_str(), detail::OpenFlags::directory); });
      if (next < 0) return detail::file_error(-next, path_ + '/' + name, "cannot open the folder");
      folder = detail::OpenFile(ops_, next);
    }
    return folder;
  }
  Result<detail::OpenFile> open(std::string const& file, detail::FileStatus& status) {
    if (!is_inside_name(file)) return unsafe_name(file);
    Result<detail::OpenFile> const folder = folder_of(file);
    if (!folder) return folder.error();
    std::string const name = file.substr(file.rfind('/') + 1); // npos + 1 is 0
    int const directory = *folder ? folder->get() : root_.get();
    auto opened = detail::open_for_reading(ops_, directory, name.c_str(), false, path_ + '/' + file, &status);
    if (opened && status.size > limits_.max_file) return too_long(file, status.size, limits_.max_file);
    return opened;
  }

  detail::FileOps& ops_;
  detail::OpenFile root_;
  std::string path_;
  ImportLimits limits_;
};

}}

std::shared_ptr<void> ForeignFiles::kept(std::string const& name) const {
  auto const found = kept_.find(name);
  return found == kept_.end() ? nullptr : found->second;
}

void ForeignFiles::keep(std::string const& name, std::shared_ptr<void> made) {
  kept_[name] = std::move(made);
}

bool is_inside_name(std::string_view name) noexcept {
  for (std::size_t at = 0;;) {
    std::size_t const slash = std::min(name.find('/', at), name.size());
    std::string_view const part = name.substr(at, slash - at);
    if (part.empty() || part == "." || part == ".." || part.find('\0') != std::string_view::npos)
      return false;
    if (slash == name.size()) return true;
    at = slash + 1;
  }
}

std::unique_ptr<ForeignFiles> make_foreign_files(std::map<std::string, std::string> files,
                                                 ImportLimits const& limits) {
  return std::make_unique<foreign_files_inl::MemoryFiles>(std::move(files), limits);
}

Result<std::unique_ptr<ForeignFiles>> open_foreign_files(std::string const& root,
                                                         ImportLimits const& limits) {
  return detail::open_foreign_files(detail::system_file_ops(), root, limits);
}

namespace detail {

Result<std::unique_ptr<ForeignFiles>> open_foreign_files(FileOps& ops, std::string const& root,
                                                         ImportLimits const& limits) {
  int const descriptor = uninterrupted(
      [&] { return ops.open(detail::working_directory, root.c_str(), detail::OpenFlags::directory); });
  if (descriptor < 0) return file_error(-descriptor, root, "cannot open the folder");
  return std::unique_ptr<ForeignFiles>(
      std::make_unique<foreign_files_inl::DiskFiles>(ops, OpenFile(ops, descriptor), root, limits));
}

Result<std::uint64_t> size_to_read(ForeignFiles& files, std::string const& file, ImportLimits const& limits) {
  Result<std::uint64_t> size = files.size(file);
  if (size && *size > limits.max_file) return foreign_files_inl::too_long(file, *size, limits.max_file);
  return size;
}

Result<std::string> read_foreign_file(ForeignFiles& files, std::string const& file,
                                      ImportLimits const& limits) {
  Result<std::uint64_t> const size = size_to_read(files, file, limits);
  if (!size) return size.error();
  return files.read(file, 0, static_cast<std::size_t>(*size));
}

std::string file_stem(std::string_view file) {
  std::string_view const name = file.substr(file.rfind('/') + 1); // npos + 1 is 0
  return std::string(name.substr(0, name.rfind('.')));
}

}
}}
