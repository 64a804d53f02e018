// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/answer.hpp>
#include <sessionkit/detail/json/json.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace sessionkit { inline namespace v0 { namespace detail {

/// Reads the answer of one provider, from its events or at once. What is shared by the providers is here.
class AnswerDecoder {
 public:
  AnswerDecoder() = default;
  AnswerDecoder(AnswerDecoder const&) = delete;
  AnswerDecoder& operator=(AnswerDecoder const&) = delete;
  virtual ~AnswerDecoder() = default;

  /// Takes one event, or a whole answer: valid JSON, and an object.
  virtual void take(std::string_view object) = 0;
  /// Gives all parts to the builder, in order; called once, after the last event.
  virtual void give(MessageBuilder& builder) = 0;
  virtual bool empty() const noexcept = 0;

  Generation generation = {};
  std::optional<AnswerFailure> failure = {};
  bool complete = false; ///< the provider marked the end
  StreamDecoder::OnPiece on_piece = {};

 protected:
  void tell(AnswerPiece::Kind kind, std::string_view content) const {
    if (on_piece && !content.empty()) on_piece({kind, content});
  }
  void tell_call(std::string_view id, std::string_view name) const {
    if (on_piece) on_piece({AnswerPiece::tool_use, {}, id, name});
  }
  void tell_input(std::string_view id, std::string_view json) const {
    if (on_piece && !json.empty()) on_piece({AnswerPiece::tool_input, json, id});
  }
  /// Fills a text once: later events repeat it, or have it empty.
  static void note(std::string& into, std::string_view object, std::string_view member);
};

/// The number of a member; 0 if it is none.
std::uint64_t member_count(std::string_view object, std::string_view name);
/// The raw value of a member; empty if it is absent or null.
std::string_view member_value(std::string_view object, std::string_view name);
/// The object without the members whose value is null.
std::string without_nulls(std::string_view object);
/// An id for a call to which the provider gave none.
std::string made_call_id();

}}}
