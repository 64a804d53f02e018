// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/result.hpp>

#include <memory>
#include <string>
#include <vector>

namespace agent {

/// A file descriptor that is closed with its owner.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) noexcept : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;
  Descriptor(Descriptor const&) = delete;
  Descriptor& operator=(Descriptor const&) = delete;
  ~Descriptor();

  int fd() const noexcept { return fd_; }
  int release() noexcept;
  explicit operator bool() const noexcept { return fd_ >= 0; }

 private:
  int fd_;
};

/// A folder that no path leaves: paths are relative to it, and neither `..` nor a symbolic link is
/// followed. Errors are sentences for the model. Safe to use from several threads at once.
class Folder {
 public:
  /// `io_error` if it cannot be opened.
  static sessionkit::Result<Folder> open(std::string const& path);

  /// Reads the whole file, if it is a regular one of at most `most` bytes.
  sessionkit::Result<std::string> read(std::string const& path, std::size_t most) const;
  /// Names in order; a `/` follows the name of a directory.
  sessionkit::Result<std::vector<std::string>> list(std::string const& path) const;
  /// Replaces the file in one step or not at all; creates the folders that lead to it.
  sessionkit::Result<void> write(std::string const& path, std::string const& text) const;

 private:
  explicit Folder(Descriptor root) : root_(std::move(root)) {}
  Descriptor root_;
};

}
