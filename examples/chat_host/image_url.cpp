// SPDX-License-Identifier: MIT
#include "image_url.hpp"

#include <agent/picture.hpp>
#include <algorithm>
#include <string>

namespace chat_host {

namespace sk = sessionkit;

namespace {

constexpr std::string_view base64_digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

bool is_base64(std::string_view text) {
  if (text.empty() || text.size() % 4 != 0) return false;
  for (int pad = 0; pad < 2 && text.back() == '='; ++pad) text.remove_suffix(1);
  return text.find_first_not_of(base64_digits) == std::string_view::npos;
}

/// Decodes the first bytes of base64.
std::string begin_of(std::string_view base64) {
  std::string bytes;
  unsigned held = 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(base64.size(), 16) && base64[i] != '='; ++i) {
    held = (held << 6U) | static_cast<unsigned>(base64_digits.find(base64[i]));
    if (i % 4 != 0) bytes += static_cast<char>((held >> (6 - 2 * (i % 4))) & 0xFFU);
  }
  return bytes;
}

std::optional<sk::Image> of_data(std::string_view type, std::string_view base64) {
  if (type.empty() || !is_base64(base64) || agent::picture_type(begin_of(base64)) != type)
    return std::nullopt;
  return sk::Image{std::string(type), sk::Base64{std::string(base64)}};
}

bool is_address(std::string_view url) {
  return std::all_of(url.begin(), url.end(), [](char c) { return c > ' ' && c < 0x7F; }) && !url.empty()
         && url.front() != '/' && url.front() != '?' && url.front() != '#';
}

}

std::optional<sk::Image> image_of(std::string_view url) {
  constexpr std::string_view web = "https://", data = "data:", encoding = ";base64,";
  if (url.substr(0, web.size()) == web)
    return is_address(url.substr(web.size())) ? std::optional(sk::Image{"", sk::Url{std::string(url)}})
                                              : std::nullopt;
  auto const comma = url.find(encoding);
  if (url.substr(0, data.size()) != data || comma == std::string_view::npos) return std::nullopt;
  return of_data(url.substr(data.size(), comma - data.size()), url.substr(comma + encoding.size()));
}

}
