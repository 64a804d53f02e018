// SPDX-License-Identifier: MIT
#include "new_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <common/failure.hpp>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace cli {

namespace {

constexpr std::size_t buffered = std::size_t{1} << 16;

}

NewFile::NewFile(std::string path)
    : path_(std::move(path)),
      descriptor_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600)) {
  if (descriptor_ < 0 && errno == EEXIST)
    throw Failure{Exit::conflict, "already_exists", fmt::format("'{}' exists already", path_),
                  "name another file: -o FILE"};
  if (descriptor_ < 0) throw system_failure(errno, fmt::format("cannot write '{}'", path_));
}

NewFile::~NewFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  ::unlink(path_.c_str()); // our own incomplete file
}

void NewFile::fail(int error_number) {
  throw system_failure(error_number, fmt::format("cannot write '{}'", path_));
}

void NewFile::write(std::string_view text) {
  buffer_ += text;
  if (buffer_.size() >= buffered) drain();
}

void NewFile::drain() {
  for (std::string_view rest = buffer_; !rest.empty();) {
    ssize_t const put = ::write(descriptor_, rest.data(), rest.size());
    if (put > 0)
      rest.remove_prefix(static_cast<std::size_t>(put));
    else if (put == 0 || errno != EINTR)
      fail(put == 0 ? EIO : errno);
  }
  buffer_.clear();
}

void NewFile::finish() {
  drain();
  if (::fsync(descriptor_) != 0 && errno != EINVAL) fail(errno);
  if (::close(std::exchange(descriptor_, -1)) == 0) return;
  int const error_number = errno;
  ::unlink(path_.c_str());
  fail(error_number);
}

}
