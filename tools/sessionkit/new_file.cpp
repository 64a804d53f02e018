// SPDX-License-Identifier: MIT
#include "new_file.hpp"
#include "platform.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <common/failure.hpp>
#include <utility>

namespace cli {

namespace {

constexpr std::size_t buffered = std::size_t{1} << 16;

}

NewFile::NewFile(std::string path) : path_(std::move(path)), descriptor_(open_new_file(path_)) {
  if (descriptor_ < 0 && errno == EEXIST)
    throw Failure{Exit::conflict, "already_exists", fmt::format("'{}' exists already", path_),
                  "name another file: -o FILE"};
  if (descriptor_ < 0) throw system_failure(errno, fmt::format("cannot write '{}'", path_));
}

NewFile::~NewFile() {
  if (descriptor_ < 0) return;
  close_file(descriptor_);
  remove_file(path_); // our own incomplete file
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
    auto const put = write_to(descriptor_, rest.data(), rest.size());
    if (put > 0)
      rest.remove_prefix(static_cast<std::size_t>(put));
    else if (put == 0 || errno != EINTR)
      fail(put == 0 ? EIO : errno);
  }
  buffer_.clear();
}

void NewFile::finish() {
  drain();
  if (sync_file(descriptor_) != 0 && errno != EINVAL) fail(errno);
  if (close_file(std::exchange(descriptor_, -1)) == 0) return;
  int const error_number = errno;
  remove_file(path_);
  fail(error_number);
}

}
