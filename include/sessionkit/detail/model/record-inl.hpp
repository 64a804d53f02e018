// SPDX-License-Identifier: MIT
// Implements the pages of records that stores return.
#pragma once
#include <sessionkit/record.hpp>

#include <utility>

namespace sessionkit { inline namespace v0 {

char const* to_string(DamageKind kind) noexcept {
  switch (kind) {
  case DamageKind::bad_json: return "bad_json";
  case DamageKind::not_an_object: return "not_an_object";
  case DamageKind::too_deep: return "too_deep";
  case DamageKind::nul_run: return "nul_run";
  case DamageKind::torn_tail: return "torn_tail";
  case DamageKind::oversize: return "oversize";
  case DamageKind::checksum: return "checksum";
  case DamageKind::missing_header: return "missing_header";
  case DamageKind::missing_parent: return "missing_parent";
  case DamageKind::parent_cycle: return "parent_cycle";
  case DamageKind::duplicate_id: return "duplicate_id";
  case DamageKind::missing_first_kept: return "missing_first_kept";
  case DamageKind::byte_order_mark: return "byte_order_mark";
  case DamageKind::carriage_return: return "carriage_return";
  case DamageKind::invalid_utf8: return "invalid_utf8";
  case DamageKind::no_final_newline: return "no_final_newline";
  case DamageKind::repeated_line: return "repeated_line";
  case DamageKind::second_header: return "second_header";
  case DamageKind::duplicate_key: return "duplicate_key";
  case DamageKind::glued_lines: return "glued_lines";
  case DamageKind::unknown_role: return "unknown_role";
  case DamageKind::unknown_dialect: return "unknown_dialect";
  }
  return "unknown";
}

bool is_damage(DamageKind kind) noexcept { return kind < DamageKind::byte_order_mark; }

void RecordPage::add(Position end, RecordView const& record) {
  std::string bytes;
  bytes.reserve(record.id.size() + record.type.size() + record.parent.size() + record.line.size());
  bytes.append(record.id).append(record.type).append(record.parent).append(record.line);
  std::string_view rest = keep(std::move(bytes));
  auto const take = [&rest](std::size_t n) {
    std::string_view const part = rest.substr(0, n);
    rest.remove_prefix(n);
    return part;
  };
  RecordView copy;
  copy.id = take(record.id.size());
  copy.type = take(record.type.size());
  copy.parent = take(record.parent.size());
  copy.line = take(record.line.size());
  copy.link = record.link;
  add_kept(end, copy);
}

std::string_view RecordPage::keep(std::string bytes) { return texts_.emplace_front(std::move(bytes)); }

char* RecordPage::keep(std::unique_ptr<char[]> buffer) {
  return buffers_.emplace_back(std::move(buffer)).get();
}

}}
