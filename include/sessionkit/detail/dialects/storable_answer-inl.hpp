// SPDX-License-Identifier: MIT
// Removes what a dialect cannot represent from an answer of a model, so that the rest can be stored.
#pragma once
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/dialects/storable_answer.hpp>

#include <algorithm>
#include <utility>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace storable_answer_inl { namespace {

// The name of a part that may be left out; empty: the part is a text without a signature, or the like.
std::string name_of_part(Part const& part) {
  if (std::holds_alternative<Thinking>(part)) return "reasoning";
  if (std::holds_alternative<Image>(part)) return "an image";
  if (auto const* block = std::get_if<Opaque>(&part))
    return block->type.empty() ? "a block without a type"
                               : format_text("a block of type '{}'", block->type.substr(0, 40));
  return {};
}

std::string* signature_of(Part& part) noexcept {
  auto* text = std::get_if<Text>(&part);
  auto* call = std::get_if<ToolUse>(&part);
  std::string* const signature = text ? &text->signature : call ? &call->signature : nullptr;
  return signature && !signature->empty() ? signature : nullptr;
}

// The members of a text that this library does not know; null if there are none.
RawJson* members_of_text(Part& part) noexcept {
  auto* text = std::get_if<Text>(&part);
  return text && !text->extra.is_null() ? &text->extra : nullptr;
}

// Whether the dialect has a line for an answer of this part alone. Only an answer of the same API may hold
// some blocks, so it is known who made it.
bool is_storable(Part const& part, Message const& answer, Dialect const& dialect) {
  Entry entry;
  entry.id = EntryId("answer");
  Message one;
  one.role = answer.role;
  one.generation = answer.generation;
  one.parts.push_back(part);
  entry.body = std::move(one);
  std::string line;
  return dialect.encode(entry, line).ok();
}

}}

SESSIONKIT_SELDOM std::vector<std::string> make_storable(Message& answer, Dialect const& dialect) {
  std::vector<std::string> removed;
  auto const note = [&](std::string name) {
    if (std::find(removed.begin(), removed.end(), name) == removed.end()) removed.push_back(std::move(name));
  };
  std::vector<Part> kept;
  for (Part& part : answer.parts) {
    std::string* const signature = storable_answer_inl::signature_of(part);
    RawJson* const members = storable_answer_inl::members_of_text(part);
    std::string name = storable_answer_inl::name_of_part(part);
    bool const plain = signature == nullptr && members == nullptr && name.empty();
    auto const storable = [&] { return storable_answer_inl::is_storable(part, answer, dialect); };
    if (!plain && !storable()) {
      if (!name.empty()) {
        note(std::move(name));
        continue;
      }
      if (signature != nullptr) note("a signature"), signature->clear();
      if (members != nullptr && !storable()) note("unknown members of a text"), *members = {};
    }
    kept.push_back(std::move(part));
  }
  answer.parts = std::move(kept);
  return removed;
}

}}}
