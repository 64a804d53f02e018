// SPDX-License-Identifier: MIT
#include "platform.hpp"

#include <algorithm>
#include <cerrno>
#include <common/failure.hpp>
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace cli {

namespace {

/// If stdin, stdout or stderr is closed, the next opened file would take its place.
void fill_standard_descriptors() {
  for (int fd = 0; fd >= 0 && fd <= 2;) {
    fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (fd > 2) close(fd);
  }
}

}

void prepare_process() {
  fill_standard_descriptors();
  std::signal(SIGPIPE, SIG_IGN); // a reader that ends must not stop a write to the store half-way
  std::signal(SIGXFSZ, SIG_IGN); // a file size limit is an error like a full disk
}

std::vector<std::string> arguments_of(int argc, char** argv) { return {argv, argv + argc}; }

std::string environment(char const* variable) {
  char const* const value = std::getenv(variable); // NOLINT(concurrency-mt-unsafe): there is one thread
  return value == nullptr ? "" : value;
}

std::string home_folder() { return environment("HOME"); }

bool is_terminal(Stream stream) { return isatty(static_cast<int>(stream)) != 0; }

Screen size_of_terminal() {
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return {};
  return {size.ws_col, size.ws_row};
}

std::size_t read_stdin(char* to, std::size_t bytes) {
  for (;;) {
    ssize_t const n = read(STDIN_FILENO, to, bytes);
    if (n >= 0) return static_cast<std::size_t>(n);
    if (errno != EINTR) throw system_failure(errno, "cannot read stdin");
  }
}

std::string make_temporary_folder() {
  std::error_code ignored;
  auto pattern = (std::filesystem::temp_directory_path(ignored) / "sessionkit-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw system_failure(errno, "cannot make a temporary folder");
  return pattern;
}

int open_new_file(std::string const& path) {
  return ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
}
std::ptrdiff_t write_to(int descriptor, char const* from, std::size_t bytes) {
  constexpr std::size_t most = std::size_t{1} << 30; // macOS refuses more than 2 GiB
  return ::write(descriptor, from, std::min(bytes, most));
}
int sync_file(int descriptor) { return ::fsync(descriptor); }
int close_file(int descriptor) { return ::close(descriptor); }
void remove_file(std::string const& path) { ::unlink(path.c_str()); }

}
