// SPDX-License-Identifier: MIT
// Finds the dialect of a name or of a line.
#pragma once
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/base/name_rules.hpp>
#include <sessionkit/detail/dialects/blades_dialect.hpp>
#include <sessionkit/dialect.hpp>

#include <array>

namespace sessionkit { inline namespace v0 {

namespace dialect_inl { namespace {

// In the order they are tried; the first that recognises a line wins. The dialect of new logs is the first:
// each end of a turn looks at a header.
std::array<Dialect const*, 6> known_dialects() noexcept {
  return {&native_dialect(),  &panel_dialect(), &flat_dialect(),
          &flat_v2_dialect(), &bare_dialect(),  &detail::blades_dialect()};
}

}}

Dialect const* find_dialect(std::string_view name) noexcept {
  for (Dialect const* dialect : dialect_inl::known_dialects())
    if (detail::same_name(dialect->name, name)) return dialect;
  return nullptr;
}

Dialect const* detect_dialect(std::string_view line) noexcept {
  for (Dialect const* dialect : dialect_inl::known_dialects())
    if (dialect->detect(line)) return dialect;
  return nullptr;
}

Result<Entry> decode(RecordPage const& page, RecordPage::Item const& item) {
  Dialect const* dialect = find_dialect(page.dialect);
  if (!dialect) return detail::make_error(Errc::unsupported, "no dialect is called '{}'", page.dialect);
  return dialect->decode(item);
}

}}
