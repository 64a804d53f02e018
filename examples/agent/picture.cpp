// SPDX-License-Identifier: MIT
#include "picture.hpp"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <utility>

namespace agent {

namespace sk = sessionkit;

namespace {

struct PictureType {
  std::string_view name, begin;
  std::size_t at; ///< the offset of `begin` in the file
};
constexpr PictureType picture_types[] = {
    {"image/png", "\x89PNG", 0},
    {"image/jpeg", "\xFF\xD8\xFF", 0},
    {"image/gif", "GIF8", 0},
    {"image/webp", "WEBP", 8},
};

std::string to_base64(std::string_view bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (; !bytes.empty(); bytes.remove_prefix(std::min<std::size_t>(3, bytes.size()))) {
    auto const group = bytes.substr(0, 3);
    unsigned held = 0;
    for (std::size_t i = 0; i < 3; ++i)
      held = (held << 8U) | (i < group.size() ? static_cast<unsigned char>(group[i]) : 0U);
    for (std::size_t i = 0; i < 4; ++i)
      text += i <= group.size() ? digits[(held >> (18 - 6 * i)) & 0x3FU] : '=';
  }
  return text;
}

}

std::string_view picture_type(std::string_view bytes) noexcept {
  for (auto const& known : picture_types)
    if (bytes.size() >= known.at && bytes.substr(known.at, known.begin.size()) == known.begin)
      return known.name;
  return {};
}

sk::Result<sk::Image> read_picture(std::string const& path) {
  constexpr std::size_t most = std::size_t{5} << 20;
  std::ifstream file(path, std::ios::binary);
  std::string bytes(most + 1, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  if (file.bad() || (bytes.empty() && !file.eof()))
    return sk::Error{sk::Errc::io_error, 0, "cannot read the picture " + path};
  auto const type = picture_type(bytes);
  if (type.empty())
    return sk::Error{sk::Errc::invalid_argument, 0, path + " is no PNG, JPEG, GIF or WebP; convert it"};
  if (bytes.size() > most)
    return sk::Error{sk::Errc::invalid_argument, 0, path + " is larger than 5 MiB; make it smaller"};
  return sk::Image{std::string(type), sk::Base64{to_base64(bytes)}};
}

}
