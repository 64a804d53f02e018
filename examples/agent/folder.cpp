// SPDX-License-Identifier: MIT
#include "folder.hpp"

#include <sessionkit/ids.hpp>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <system_error>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace agent {

namespace sk = sessionkit;

namespace {

constexpr int directory_flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

sk::Error failed(std::string const& what, std::string const& path, int error) {
  std::string why = std::generic_category().message(error);
  if (error == ELOOP || error == ENOTDIR) why = "a part of the path is a link, or not a folder";
  if (error == ENOENT) why = "there is no such file or folder";
  return {sk::Errc::io_error, error, "cannot " + what + " '" + path + "': " + why};
}

sk::Error outside(std::string const& path) {
  return {sk::Errc::unsafe_path, 0,
          "'" + path + "' is not inside the folder: paths are relative, without '..'"};
}

/// The parts of a path; absent if it is absolute, or contains a `..` or a NUL.
sk::Result<std::vector<std::string>> parts_of(std::string const& path) {
  if (path.find('\0') != std::string::npos || (!path.empty() && path.front() == '/')) return outside(path);
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= path.size();) {
    auto const end = std::min(path.find('/', at), path.size());
    auto part = path.substr(at, end - at);
    if (part == "..") return outside(path);
    if (!part.empty() && part != ".") parts.push_back(std::move(part));
    at = end + 1;
  }
  return parts;
}

enum class Missing { refuse, make };

/// Opens the directory that the first `count` parts lead to.
sk::Result<Descriptor> walk(int root, std::vector<std::string> const& parts, std::size_t count,
                            Missing missing, std::string const& path) {
  Descriptor at(openat(root, ".", directory_flags));
  for (std::size_t i = 0; i < count && at; ++i) {
    char const* const name = parts[i].c_str();
    if (missing == Missing::make && mkdirat(at.fd(), name, 0777) != 0 && errno != EEXIST)
      return failed("make a folder for", path, errno);
    at = Descriptor(openat(at.fd(), name, directory_flags));
  }
  if (!at) return failed("open", path, errno);
  return at;
}

sk::Result<void> write_all(int fd, std::string_view text, std::string const& path) {
  while (!text.empty()) {
    auto const wrote = ::write(fd, text.data(), text.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return failed("write", path, errno);
    text.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return {};
}

struct CloseDirectory {
  void operator()(DIR* directory) const noexcept { closedir(directory); }
};

}

Descriptor::Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}
Descriptor::~Descriptor() {
  if (fd_ >= 0) close(fd_);
}
int Descriptor::release() noexcept { return std::exchange(fd_, -1); }

sk::Result<Folder> Folder::open(std::string const& path) {
  Descriptor root(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!root) return failed("open", path, errno);
  return Folder(std::move(root));
}

sk::Result<std::string> Folder::read(std::string const& path, std::size_t most) const {
  auto const parts = parts_of(path);
  if (!parts) return parts.error();
  if (parts->empty()) return failed("read", path, EISDIR);
  auto const folder = walk(root_.fd(), *parts, parts->size() - 1, Missing::refuse, path);
  if (!folder) return folder.error();
  // Without O_NONBLOCK opening a named pipe would block.
  Descriptor const file(
      openat(folder->fd(), parts->back().c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (!file || fstat(file.fd(), &status) != 0) return failed("read", path, errno);
  if (S_ISDIR(status.st_mode)) return failed("read", path, EISDIR);
  if (!S_ISREG(status.st_mode)) return failed("read", path, EINVAL);
  if (static_cast<std::size_t>(status.st_size) > most) return failed("read", path, EFBIG);

  std::string text(most + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    auto const got = ::read(file.fd(), text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failed("read", path, errno);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  if (size > most) return failed("read", path, EFBIG); // it grew
  text.resize(size);
  return text;
}

sk::Result<std::vector<std::string>> Folder::list(std::string const& path) const {
  auto const parts = parts_of(path);
  if (!parts) return parts.error();
  auto folder = walk(root_.fd(), *parts, parts->size(), Missing::refuse, path);
  if (!folder) return folder.error();
  std::unique_ptr<DIR, CloseDirectory> const directory(fdopendir(folder->fd()));
  if (!directory) return failed("list", path, errno);
  int const fd = folder->release(); // the directory closes it
  std::vector<std::string> names;
  while (auto const* const entry =
             readdir(directory.get())) { // NOLINT(concurrency-mt-unsafe): our own stream
    std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    struct stat status {};
    bool const is_folder =
        fstatat(fd, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(status.st_mode);
    names.push_back(is_folder ? name + '/' : name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

sk::Result<void> Folder::write(std::string const& path, std::string const& text) const {
  auto const parts = parts_of(path);
  if (!parts) return parts.error();
  if (parts->empty()) return failed("write", path, EISDIR);
  auto const folder = walk(root_.fd(), *parts, parts->size() - 1, Missing::make, path);
  if (!folder) return folder.error();
  std::string const draft = ".draft-" + sk::random_entry_id();
  Descriptor const file(
      openat(folder->fd(), draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
  if (!file) return failed("write", path, errno);
  auto written = write_all(file.fd(), text, path);
  if (written && renameat(folder->fd(), draft.c_str(), folder->fd(), parts->back().c_str()) != 0)
    written = failed("write", path, errno);
  if (!written) unlinkat(folder->fd(), draft.c_str(), 0);
  return written;
}

}
