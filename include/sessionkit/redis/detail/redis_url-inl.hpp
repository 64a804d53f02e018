// SPDX-License-Identifier: MIT
// Parses Redis URLs and computes the slot of a key.
#pragma once
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/redis/detail/redis_url.hpp>

#include <charconv>
#include <cstdint>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace redis_url_inl { namespace {

Error bad_redis_url(std::string_view why) {
  return detail::make_error(
      Errc::invalid_argument,
      "the Redis URL {}; write "
      "redis://[user:password@]host[:port][,host[:port]...][/database][?cluster][&ttl=SECONDS]",
      why);
}

// Takes the text before the mark, and removes both from `text`; takes all of it if there is no mark.
std::string_view take_until(std::string_view& text, char mark) {
  std::size_t const at = text.find(mark);
  std::string_view const head = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return head;
}

bool parse_small(std::string_view text, int most, int& out) {
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc{} && end == text.data() + text.size() && out >= 0 && out <= most;
}

bool percent_decoded(std::string_view text, std::string& out) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    std::string_view const digits = text.substr(i + 1, 2);
    unsigned byte = 0;
    auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
    if (digits.size() != 2 || error != std::errc{} || end != digits.data() + 2) return false;
    out += static_cast<char>(byte);
    i += 2;
  }
  return true;
}

bool parse_redis_address(std::string_view text, RedisAddress& out) {
  if (!text.empty() && text.front() == '[') { // an IPv6 address
    text.remove_prefix(1);
    out.host = take_until(text, ']');
    if (!text.empty() && text.front() != ':') return false;
    if (!text.empty()) text.remove_prefix(1);
  } else {
    out.host = take_until(text, ':');
  }
  return !out.host.empty() && (text.empty() || (parse_small(text, 65535, out.port) && out.port > 0));
}

bool take_parameter(std::string_view text, RedisPlace& place) {
  constexpr int most_seconds = 1'000'000'000;
  constexpr std::string_view ttl = "ttl=";
  if (text == "cluster" || text == "cluster=true" || text == "cluster=1") return place.cluster = true;
  int seconds = 0;
  if (text.substr(0, ttl.size()) != ttl || !parse_small(text.substr(ttl.size()), most_seconds, seconds))
    return false;
  place.ttl = std::chrono::seconds(seconds);
  return seconds > 0;
}

}}

std::string RedisPlace::text() const {
  std::string out = tls ? "rediss://" : "redis://";
  for (std::size_t i = 0; i < servers.size(); ++i) out += (i > 0 ? "," : "") + servers[i].text();
  if (database != 0) out += "/" + std::to_string(database);
  return out + (cluster ? "?cluster" : "");
}

Result<RedisPlace> parse_redis_url(std::string_view url) {
  RedisPlace place;
  std::size_t const scheme = url.find("://");
  place.tls = url.substr(0, scheme) == "rediss";
  if (scheme == std::string_view::npos || (!place.tls && url.substr(0, scheme) != "redis"))
    return redis_url_inl::bad_redis_url("begins with neither redis:// nor rediss://");
  std::string_view rest = url.substr(scheme + 3);
  std::size_t const at = rest.rfind('@');
  if (at != std::string_view::npos) {
    std::string_view secret = rest.substr(0, at);
    rest.remove_prefix(at + 1);
    if (secret.find_first_of("/?@") != std::string_view::npos)
      return redis_url_inl::bad_redis_url(
          "has a '/', '?' or '@' before its last '@': percent-encode those of the user and the "
          "password as %2F, %3F and %40");
    std::string_view const user = redis_url_inl::take_until(secret, ':');
    if (!redis_url_inl::percent_decoded(user, place.user)
        || !redis_url_inl::percent_decoded(secret, place.password))
      return redis_url_inl::bad_redis_url("has a user or password that is not percent-encoded");
  }
  std::string_view hosts = redis_url_inl::take_until(rest, '?');
  while (!rest.empty())
    if (std::string_view const parameter = redis_url_inl::take_until(rest, '&');
        !redis_url_inl::take_parameter(parameter, place))
      return redis_url_inl::bad_redis_url(
          "has a parameter other than cluster and ttl, a number of seconds above 0");
  std::string_view list = redis_url_inl::take_until(hosts, '/');
  if (!hosts.empty() && !redis_url_inl::parse_small(hosts, 1 << 20, place.database))
    return redis_url_inl::bad_redis_url("has a database that is no number");
  if (place.cluster && place.database != 0)
    return redis_url_inl::bad_redis_url("names a database, of which a cluster has only 0");
  do {
    RedisAddress address;
    if (!redis_url_inl::parse_redis_address(redis_url_inl::take_until(list, ','), address))
      return redis_url_inl::bad_redis_url("has a host or port that is none");
    place.servers.push_back(std::move(address));
  } while (!list.empty());
  return place;
}

unsigned redis_slot(std::string_view key) {
  std::size_t const open = key.find('{');
  if (open != std::string_view::npos) {
    std::size_t const close = key.find('}', open + 1);
    if (close != std::string_view::npos && close > open + 1) key = key.substr(open + 1, close - open - 1);
  }
  std::uint32_t crc = 0; // CRC-16/XMODEM
  for (char const c : key) {
    crc ^= static_cast<std::uint32_t>(static_cast<unsigned char>(c)) << 8U;
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 0x8000U) != 0 ? (crc << 1U) ^ 0x1021U : crc << 1U;
    crc &= 0xFFFFU;
  }
  return crc % 16384;
}

}}}
