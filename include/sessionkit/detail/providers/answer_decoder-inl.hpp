// SPDX-License-Identifier: MIT
// Reads answers, whole or as a stream, with the decoder of their provider.
#pragma once
#include <sessionkit/detail/base/format_text.hpp>
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/json/json_check.hpp>
#include <sessionkit/detail/json/raw_json_access.hpp>
#include <sessionkit/detail/providers/answer_anthropic.hpp>
#include <sessionkit/detail/providers/answer_decoder.hpp>
#include <sessionkit/detail/providers/answer_gemini.hpp>
#include <sessionkit/detail/providers/answer_openai.hpp>
#include <sessionkit/detail/providers/answer_responses.hpp>
#include <sessionkit/detail/providers/event_stream.hpp>
#include <sessionkit/ids.hpp>

#include <utility>

namespace sessionkit { inline namespace v0 {

namespace answer_decoder_inl { namespace {

std::unique_ptr<detail::AnswerDecoder> decoder_of(Provider provider) {
  switch (provider) {
  case Provider::anthropic: return detail::make_anthropic_decoder();
  case Provider::openai_chat: return detail::make_openai_chat_decoder();
  case Provider::openai_responses: return detail::make_openai_responses_decoder();
  case Provider::gemini: return detail::make_gemini_decoder();
  case Provider::native: break;
  }
  return nullptr;
}

AnswerFailure malformed(std::string_view what) { return {FailureKind::malformed, std::string(what)}; }

// Parts of the object go into the log as they are, so it must be on one line.
void give(std::string_view object, detail::AnswerDecoder& decoder) {
  bool const one_line = object.find_first_of("\r\n") == std::string_view::npos;
  if (one_line)
    decoder.take(object);
  else
    decoder.take(detail::on_one_line(std::string(object)));
}

// Servers say "stop" for calls, too.
Message finished(detail::AnswerDecoder& decoder) {
  MessageBuilder builder;
  decoder.give(builder);
  if (decoder.failure) decoder.generation.stop = StopReason::error;
  Message message = std::move(builder).finish(std::move(decoder.generation));
  StopReason& stop = message.generation->stop;
  if (stop == StopReason::end_turn && !message.tool_uses().empty()) stop = StopReason::tool_use;
  return message;
}

}}

namespace detail {

void AnswerDecoder::note(std::string& into, std::string_view object, std::string_view member) {
  if (into.empty()) into = member_text(object, member);
}

std::uint64_t member_count(std::string_view object, std::string_view name) {
  return to_uint(find_member(object, name)).value_or(0);
}

std::string_view member_value(std::string_view object, std::string_view name) {
  std::string_view const raw = find_member(object, name);
  return raw == "null" ? std::string_view{} : raw;
}

bool says_nothing(std::string_view value) {
  if (value.empty() || value == "null") return true;
  bool const holds = value.front() == '[' || value.front() == '{';
  return holds && trim_space(value.substr(1, value.size() - 2)).empty();
}

std::string without_nulls(std::string_view object) {
  std::string out = "{";
  for_members(object, [&out](std::string_view key, std::string_view value) {
    if (value == "null") return true;
    if (out.size() > 1) out += ',';
    (((out += '"') += key) += "\":") += value;
    return true;
  });
  return out + '}';
}

std::string made_call_id() { return "call_" + random_entry_id(); }

}

struct StreamDecoder::State {
  void take(std::string_view data) {
    if (decoder->failure || done) return;
    bool const complete = decoder->complete; // then nothing makes it a failure
    done = data == "[DONE]";
    if (done) return;
    if (!detail::is_whole_object(data)) {
      if (!complete) fail("the stream has an event that is no JSON object");
      return;
    }
    answer_decoder_inl::give(data, *decoder);
    if (complete) decoder->failure.reset();
    if (first.empty() && detail::member_text(data, "type") != "ping") first = data.substr(0, shown + 1);
  }
  void fail(std::string_view what) { decoder->failure = answer_decoder_inl::malformed(what); }
  // True: events came, and none of them is of an answer of this provider.
  bool is_strange() const {
    Generation const& known = decoder->generation;
    return !first.empty() && decoder->empty() && known.model.empty() && known.request_id.empty();
  }

  static constexpr std::size_t shown = 60; // bytes
  std::string first = {};                  // of the first event
  bool done = false;                       // "[DONE]" came

  detail::EventStream events = {};
  std::unique_ptr<detail::AnswerDecoder> decoder;
};

StreamDecoder::StreamDecoder(Provider provider, OnPiece on_piece) : state_(std::make_unique<State>()) {
  state_->decoder = answer_decoder_inl::decoder_of(provider);
  if (!state_->decoder) {
    state_->decoder = detail::make_anthropic_decoder();
    state_->decoder->failure = answer_decoder_inl::malformed("'native' is the format of no server");
  }
  state_->decoder->on_piece = std::move(on_piece);
}

StreamDecoder::StreamDecoder(StreamDecoder&&) noexcept = default;
StreamDecoder& StreamDecoder::operator=(StreamDecoder&&) noexcept = default;
StreamDecoder::~StreamDecoder() = default;

void StreamDecoder::feed(std::string_view bytes) {
  if (state_->decoder->failure) return;
  state_->events.feed(bytes, [this](std::string_view data) { state_->take(data); });
  if (state_->events.broken() && !state_->decoder->failure && !state_->decoder->complete)
    state_->fail("the body is neither a stream of events nor JSON");
}

bool StreamDecoder::complete() const noexcept { return state_->decoder->complete; }
bool StreamDecoder::empty() const noexcept { return state_->decoder->empty(); }
std::optional<AnswerFailure> const& StreamDecoder::failure() const noexcept {
  return state_->decoder->failure;
}

Message StreamDecoder::finish() {
  detail::AnswerDecoder& decoder = *state_->decoder;
  if (!decoder.failure) state_->events.end([this](std::string_view data) { state_->take(data); });
  if (!decoder.failure && !decoder.complete && state_->is_strange())
    decoder.failure = answer_decoder_inl::malformed(detail::format_text(
        "no event of the stream is part of an answer of this provider; the first begins with {}",
        detail::printable(state_->first, State::shown)));
  if (!decoder.failure && !decoder.complete)
    decoder.failure = AnswerFailure{FailureKind::cut, "the stream ended before the answer did"};
  return answer_decoder_inl::finished(decoder);
}

Result<Message> decode_response(Provider provider, std::string_view body) {
  std::unique_ptr<detail::AnswerDecoder> const decoder = answer_decoder_inl::decoder_of(provider);
  if (!decoder) return detail::make_error(Errc::unsupported, "'native' is the format of no server");
  std::string_view const text = detail::trim_space(body);
  if (!detail::is_whole_object(text))
    return detail::make_error(Errc::corrupt, "the response is no JSON object; it begins with {}",
                              detail::printable(text, 60));
  answer_decoder_inl::give(text, *decoder);
  if (decoder->failure)
    return detail::make_error(decoder->failure->kind == FailureKind::malformed ? Errc::corrupt
                                                                               : Errc::unavailable,
                              "the provider reports: {}", decoder->failure->message);
  if (!decoder->complete && decoder->empty())
    return detail::make_error(Errc::corrupt, "the response is no answer of this provider; it begins with {}",
                              detail::printable(text, 60));
  return answer_decoder_inl::finished(*decoder);
}

}}
