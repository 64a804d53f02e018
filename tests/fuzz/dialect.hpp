// SPDX-License-Identifier: MIT
// One dialect: head, decode, encode, and read the encoded line again.
#pragma once
#include "fuzz/fuzz.hpp"
#include "support/physical_lines.hpp"

#include <sessionkit/dialect.hpp>

#include <deque>

namespace sessionkit_fuzz {

namespace sk = sessionkit;

inline bool same_part(sk::Part const& a, sk::Part const& b) {
  if (a.index() != b.index()) return false;
  if (auto const* text = std::get_if<sk::Text>(&a)) {
    auto const& other = std::get<sk::Text>(b);
    return text->text == other.text && text->signature == other.signature;
  }
  if (auto const* call = std::get_if<sk::ToolUse>(&a)) {
    auto const& other = std::get<sk::ToolUse>(b);
    return call->id == other.id && call->name == other.name && call->input == other.input;
  }
  if (auto const* result = std::get_if<sk::ToolResult>(&a)) {
    auto const& other = std::get<sk::ToolResult>(b);
    return result->tool_use_id == other.tool_use_id && result->is_error == other.is_error;
  }
  if (auto const* opaque = std::get_if<sk::Opaque>(&a)) return opaque->body == std::get<sk::Opaque>(b).body;
  if (auto const* thinking = std::get_if<sk::Thinking>(&a)) {
    auto const& other = std::get<sk::Thinking>(b);
    return thinking->text == other.text && thinking->signature == other.signature;
  }
  return true;
}

inline bool same_meaning(sk::Entry const& a, sk::Entry const& b) {
  auto const* custom = a.as<sk::CustomMessage>();
  if (custom && !custom->in_context) return b.as<sk::Custom>() != nullptr; // as pi writes what is never sent
  if (a.body.index() != b.body.index() || a.at != b.at) return false;
  auto const* message = a.as<sk::Message>();
  if (!message) return true;
  auto const& other = *b.as<sk::Message>();
  if (message->role != other.role || message->parts.size() != other.parts.size()) return false;
  for (std::size_t i = 0; i < message->parts.size(); ++i)
    if (!same_part(message->parts[i], other.parts[i])) return false;
  return true;
}

inline sk::RecordView head_of(sk::Dialect const& dialect, std::string const& line,
                              std::deque<std::string>& unescaped) {
  sk::RecordView record;
  require(dialect.head(line, record, unescaped), "a whole object has a head", line);
  return record;
}

// Compared as other readers would: order does not count, nor does data they refuse by policy.
inline sessionkit_test::oracle::json value_of(std::string const& line) {
  return sessionkit_test::oracle::json::parse(sessionkit_test::oracle::fix(line).text, nullptr, false);
}

// The encoded text is one line of JSON with the same content, and encodes to the same members again.
inline void write_and_read(sk::Dialect const& dialect, sk::Entry const& entry, std::string const& from) {
  std::string line;
  if (!dialect.encode(entry, line)) {
    require(line.empty(), "a refused entry leaves nothing", line);
    return;
  }
  if (sk::detail::check_json(line).fault == sk::detail::JsonCheck::too_deep) return; // an append refuses it
  std::string const both = from + '\n' + line;
  require(sessionkit_test::is_object_to_others(line), "an encoded line is one object", both);
  require(line.find('\n') == std::string::npos, "an encoded line is one line", both);
  std::deque<std::string> unescaped;
  auto const again = dialect.decode(head_of(dialect, line, unescaped));
  require(again.ok(), "an encoded line is decoded", both);
  require(same_meaning(entry, *again), "an encoded line means the same", both);
  std::string twice;
  require(dialect.encode(*again, twice).ok(), "it is encoded again", both);
  require(twice == line || value_of(twice) == value_of(line), "to the same members", both + '\n' + twice);
}

inline void read_lines(sk::Dialect const& dialect, std::string const& bytes) {
  for (std::string const& line : sessionkit_test::split_lines(bytes)) {
    std::deque<std::string> unescaped;
    sk::RecordView record;
    dialect.detect(line);
    bool const headed = dialect.head(line, record, unescaped);
    bool const whole = sessionkit_test::is_object_to_others(line);
    require(headed || !whole, "a whole object has a head", line);
    if (!headed) continue;
    auto const entry = dialect.decode(record);
    require(entry.ok() == whole || std::string(" \t\r").find(line.front()) != std::string::npos,
            "exactly the whole objects are decoded", line);
    if (entry) write_and_read(dialect, *entry, line);
  }
}

}
