// SPDX-License-Identifier: MIT
// Decides whether a provider accepts an image, and repairs the image if not.
#pragma once
#include <sessionkit/detail/base/utf8.hpp>
#include <sessionkit/detail/history/image_rules.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <variant>

namespace sessionkit { inline namespace v0 {

namespace image_rules_inl { namespace {

using detail::ImageFormats;
using detail::ProviderRules;

constexpr std::array<std::string_view, 4> web_image_types{"image/png", "image/jpeg", "image/gif",
                                                          "image/webp"};
constexpr std::array<std::string_view, 5> gemini_image_types{"image/png", "image/jpeg", "image/webp",
                                                             "image/heic", "image/heif"};

constexpr std::array<std::string_view, 3> embedded_image_types{"image/png", "image/jpeg", "image/webp"};

bool is_known_type(ImageFormats formats, std::string_view type) noexcept {
  auto const among = [type](auto const& types) {
    return std::find(types.begin(), types.end(), type) != types.end();
  };
  if (formats == ImageFormats::gemini) return among(gemini_image_types);
  return formats == ImageFormats::embedded ? among(embedded_image_types) : among(web_image_types);
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

bool begins_with(std::string_view text, std::string_view lower_case) {
  return lower(text.substr(0, lower_case.size())) == lower_case;
}

// `Image/JPG; charset=binary` is what some programs call `image/jpeg`.
std::string real_type(std::string_view type) {
  type = type.substr(0, type.find(';'));
  while (!type.empty() && type.back() == ' ') type.remove_suffix(1);
  std::string real = lower(type);
  return real == "image/jpg" ? "image/jpeg" : real;
}

// As the first bytes show it; empty where they show none of the usual. A server compares the two: "Image does
// not match the provided media type".
std::string_view shown_type(std::string_view base64) noexcept {
  if (base64.substr(0, 10) == "iVBORw0KGg") return "image/png";
  if (base64.substr(0, 4) == "/9j/") return "image/jpeg";
  if (base64.substr(0, 6) == "R0lGOD") return "image/gif";
  if (base64.substr(0, 5) == "UklGR" && base64.substr(11, 5) == "XRUJQ") return "image/webp";
  return {};
}

// Without line breaks, of the usual alphabet, in whole blocks; empty where it is no base64.
std::string whole_base64(std::string_view data) {
  std::string out;
  out.reserve(data.size() + 2);
  for (char const c : data)
    if (c != ' ' && c != '\n' && c != '\r' && c != '\t') out += c == '-' ? '+' : c == '_' ? '/' : c;
  while (!out.empty() && out.back() == '=') out.pop_back();
  if (out.size() % 4 == 1) return {};
  out.append((4 - out.size() % 4) % 4, '=');
  return detail::is_base64(out) ? out : std::string{};
}

// Takes `data:image/png;base64,...` apart.
std::optional<Image> from_data_address(std::string_view url, std::string_view type) {
  std::size_t const comma = url.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  std::string_view const head = url.substr(5, comma - 5);
  std::string const lowered = lower(head);
  if (lowered.size() < 7 || lowered.compare(lowered.size() - 7, 7, ";base64") != 0) return std::nullopt;
  std::string const own = real_type(head);
  return Image{own.empty() ? std::string(type) : own, Base64{std::string(url.substr(comma + 1))}};
}

bool is_sendable_address(ProviderRules const& rules, std::string_view type, std::string_view url) {
  if (rules.images == ImageFormats::embedded) return false;
  bool const secure = url.substr(0, 8) == "https://";
  if (rules.images == ImageFormats::gemini && !is_known_type(rules.images, type)) return false;
  return (secure || (!rules.https_images && url.substr(0, 7) == "http://")) && detail::is_utf8(url);
}

}}

namespace detail {

bool is_base64(std::string_view data) noexcept {
  data = base64_digits(data);
  return !data.empty() && std::all_of(data.begin(), data.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' || c == '/';
  });
}

bool is_sendable(ProviderRules const& rules, Image const& image) {
  if (std::holds_alternative<BlobRef>(image.source)) return false; // only the host has the bytes
  if (rules.images == ImageFormats::any) return true;
  if (rules.images == ImageFormats::none) return false;
  auto const* data = std::get_if<Base64>(&image.source);
  if (!data)
    return image_rules_inl::is_sendable_address(rules, image.media_type, std::get<Url>(image.source).url);
  std::string_view const shown = image_rules_inl::shown_type(data->data);
  return image_rules_inl::is_known_type(rules.images, image.media_type)
         && (shown.empty() || shown == image.media_type) && is_base64(data->data);
}

SESSIONKIT_SELDOM std::optional<Image> repaired_image(ProviderRules const& rules, Image const& image) {
  using namespace image_rules_inl;
  if (std::holds_alternative<BlobRef>(image.source)) return std::nullopt;
  Image made{real_type(image.media_type), image.source};
  auto const* url = std::get_if<Url>(&made.source);
  auto const* bytes = std::get_if<Base64>(&made.source);
  std::string_view const text = url ? std::string_view(url->url) : std::string_view(bytes->data);
  if (begins_with(text, "data:")) {
    auto inside = from_data_address(text, made.media_type);
    if (!inside) return std::nullopt;
    made = std::move(*inside);
  } else if (url) {
    std::size_t const scheme = std::min(url->url.find(':'), url->url.size());
    made.source = Url{lower(text.substr(0, scheme)) + std::string(text.substr(scheme))};
  }
  if (auto* data = std::get_if<Base64>(&made.source)) {
    data->data = whole_base64(data->data);
    if (std::string_view const shown = shown_type(data->data); !shown.empty()) made.media_type = shown;
  }
  if (!is_sendable(rules, made)) return std::nullopt;
  return made;
}

}

}}
