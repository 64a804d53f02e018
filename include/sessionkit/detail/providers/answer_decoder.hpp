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

/// Reads an answer of one provider, either event by event or the whole answer at once. This base class has
/// what all providers share.
class AnswerDecoder {
 public:
  AnswerDecoder() = default;
  AnswerDecoder(AnswerDecoder const&) = delete;
  AnswerDecoder& operator=(AnswerDecoder const&) = delete;
  virtual ~AnswerDecoder() = default;

  /// Takes one event, or a whole answer. `object` must be one valid JSON object.
  virtual void take(std::string_view object) = 0;
  /// Gives all parts of the answer to the builder, in order. It is called once, after the last event.
  virtual void give(MessageBuilder& builder) = 0;
  virtual bool empty() const noexcept = 0;

  Generation generation = {};
  std::optional<AnswerFailure> failure = {};
  bool complete = false; ///< true: the provider marked the end of the answer
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
  /// Sets `into` to the text of a member if `into` is still empty. Later events repeat the text, or have an
  /// empty one.
  static void note(std::string& into, std::string_view object, std::string_view member);
};

/// Returns the number in a member, or 0 if the member has none.
std::uint64_t member_count(std::string_view object, std::string_view name);
/// Returns the raw value of a member, or an empty text if the member is absent or null.
std::string_view member_value(std::string_view object, std::string_view name);
/// True if the value is absent, null, or an array or object without elements.
bool says_nothing(std::string_view value);
/// Returns the object without the members whose value is null.
std::string without_nulls(std::string_view object);
/// Makes an id for a call to which the provider gave none.
std::string made_call_id();

}}}
