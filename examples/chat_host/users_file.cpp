// SPDX-License-Identifier: MIT
#include "users_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>
#include <utility>

#include <sys/stat.h>

namespace chat_host {

namespace sk = sessionkit;

namespace {

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

sk::Error wrong(std::string const& where, std::string const& why) {
  return {sk::Errc::invalid_argument, 0, where + ": " + why};
}

/// All of a file that nobody but its owner can read or write.
sk::Result<std::string> read_private(std::string const& path) {
  std::unique_ptr<std::FILE, Close> const file(std::fopen(path.c_str(), "rbe"));
  struct stat about {};
  if (!file || ::fstat(fileno(file.get()), &about) != 0)
    return wrong(path, "cannot be read: " + std::generic_category().message(errno));
  if (S_ISDIR(about.st_mode)) return wrong(path, "this is a directory");
  if ((about.st_mode & (S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH)) != 0)
    return wrong(path, "others than its owner can read or write it; try chmod 600");
  std::string text;
  char piece[4096];
  while (auto const size = std::fread(piece, 1, sizeof piece, file.get())) text.append(piece, size);
  if (std::ferror(file.get()) != 0) return wrong(path, "cannot be read");
  return text;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blank = " \t\r";
  auto const begin = text.find_first_not_of(blank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blank) + 1 - begin);
}

}

sk::Result<User> parse_user(std::string_view text, std::string from) {
  auto const at = text.find('=');
  if (at == 0 || at == std::string_view::npos || at + 1 == text.size())
    return wrong(from, "not of the form NAME=TOKEN");
  return User{std::string(text.substr(0, at)), std::string(text.substr(at + 1)), std::move(from)};
}

sk::Result<std::vector<User>> read_users(std::string const& path) {
  auto const text = read_private(path);
  if (!text) return text.error();
  std::vector<User> users;
  std::string_view rest = *text;
  for (std::size_t number = 1; !rest.empty(); ++number) {
    auto const line = trimmed(rest.substr(0, rest.find('\n')));
    rest.remove_prefix(std::min(rest.size(), rest.substr(0, rest.find('\n')).size() + 1));
    if (line.empty() || line.front() == '#') continue;
    auto const sign = line.find('=');
    auto user = parse_user(sign == std::string_view::npos ? std::string(line)
                                                          : std::string(trimmed(line.substr(0, sign))) + '='
                                                                + std::string(trimmed(line.substr(sign + 1))),
                           path + ":" + std::to_string(number));
    if (!user) return user.error();
    users.push_back(*std::move(user));
  }
  return users;
}

}
