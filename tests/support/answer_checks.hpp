// SPDX-License-Identifier: MIT
// What holds for the bytes of any answer, however damaged. nlohmann reads what the decoders return.
#pragma once
#include "support/every_provider.hpp"
#include "support/physical_lines.hpp"
#include "support/random.hpp"

#include <sessionkit/answer.hpp>
#include <sessionkit/context.hpp>
#include <sessionkit/dialect.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace sessionkit_test {

/// A decoder's result: as one text, so that two can be compared, and the message.
struct DecodedAnswer {
  std::string seen;
  sk::Message message;
  bool failed = false;
};

/// An id that the decoder made is random: it has the same text in each reading.
inline std::string stable_id(std::string const& id, std::string_view bytes) {
  bool const made = id.compare(0, 5, "call_") == 0 && bytes.find(id) == std::string_view::npos;
  return made ? "call_made" : id;
}

inline std::string seen_part(sk::Part const& part, std::string_view bytes) {
  if (auto const* text = std::get_if<sk::Text>(&part))
    return "text " + text->text + '|' + text->signature + '|' + text->extra.str();
  if (auto const* thinking = std::get_if<sk::Thinking>(&part))
    return (thinking->redacted ? "redacted " : "thinking ") + thinking->text + '|' + thinking->signature;
  if (auto const* call = std::get_if<sk::ToolUse>(&part))
    return "call " + stable_id(call->id, bytes) + '|' + call->name + '|' + call->input.str() + '|'
           + call->signature;
  if (auto const* image = std::get_if<sk::Image>(&part)) return "image " + image->media_type;
  if (auto const* block = std::get_if<sk::Opaque>(&part))
    return "block " + block->type + '|' + block->body.str();
  return "?";
}

inline std::string seen_message(sk::Message const& message, std::string_view bytes) {
  std::string all;
  for (sk::Part const& part : message.parts) all += seen_part(part, bytes) + '\n';
  sk::Generation const& made = message.generation.value();
  all += std::to_string(static_cast<int>(made.stop)) + '|' + made.model + '|' + made.request_id;
  if (made.usage)
    for (auto const count :
         {made.usage->input, made.usage->output, made.usage->cache_read, made.usage->cache_write})
      all += '|' + std::to_string(count);
  return all;
}

/// Feeds the bytes in pieces that begin at `cuts`, which are sorted.
inline DecodedAnswer decode_in_pieces(sk::Provider provider, std::string_view bytes,
                                      std::vector<std::size_t> const& cuts) {
  std::string text, input;
  sk::StreamDecoder decoder(provider, [&](sk::AnswerPiece const& piece) {
    if (piece.kind == sk::AnswerPiece::text) text += piece.content;
    if (piece.kind == sk::AnswerPiece::tool_input) input += piece.content;
  });
  std::size_t from = 0;
  for (std::size_t const cut : cuts) {
    decoder.feed(bytes.substr(from, cut - from));
    from = cut;
  }
  decoder.feed(bytes.substr(from));
  DecodedAnswer answer;
  answer.message = decoder.finish();
  answer.failed = decoder.failure().has_value();
  answer.seen = seen_message(answer.message, bytes) + "\nheard " + text + '|' + input;
  if (answer.failed)
    answer.seen += std::string("\n") + to_string(decoder.failure()->kind) + ": " + decoder.failure()->message;
  return answer;
}

/// The faults in a message that a decoder returned; empty if none.
inline Faults faults_of_answer(sk::Message const& message, bool failed) {
  Faults faults;
  if (message.role != sk::Role::assistant) faults.emplace_back("the message is not the assistant's");
  if (!message.generation) return {"the message has no generation"};
  if (failed != (message.generation->stop == sk::StopReason::error))
    faults.emplace_back("the stop reason and the failure differ");
  for (sk::Part const& part : message.parts) {
    if (auto const* call = std::get_if<sk::ToolUse>(&part)) {
      if (call->id.empty()) faults.emplace_back("a call has no id");
      if (!Json::accept(without_infinities(oracle::fix(call->input.str()).text)))
        faults.push_back("the input of a call is not JSON: " + call->input.str());
    }
    if (auto const* block = std::get_if<sk::Opaque>(&part);
        block && !is_object_to_others_now(block->body.str()))
      faults.push_back("a block is not an object: " + block->body.str());
  }
  bool const calls = !message.tool_uses().empty();
  if (calls && message.generation->stop == sk::StopReason::end_turn)
    faults.emplace_back("an answer with calls ended its turn");
  return faults;
}

/// The faults of the requests that contain the message, without pictures and the provider's own blocks: the
/// checkers know neither in a model's turn. The format of pi keeps lone surrogates, which nlohmann refuses.
inline Faults faults_of_requests(sk::Message message) {
  auto const is_unknown = [](sk::Part const& part) {
    return std::holds_alternative<sk::Opaque>(part) || std::holds_alternative<sk::Image>(part);
  };
  message.parts.erase(std::remove_if(message.parts.begin(), message.parts.end(), is_unknown),
                      message.parts.end());
  sk::Context context;
  auto const add = [&context](char const* id, sk::EntryBody body) {
    sk::Entry entry;
    entry.id = sk::EntryId(id);
    entry.body = std::move(body);
    context.leaf = entry.id;
    context.entries.push_back(std::move(entry));
  };
  add("a", sk::user("question"));
  add("b", std::move(message));
  add("c", sk::user("go on"));
  Faults faults = refusals(context);
  std::string const native = "native: not JSON: ";
  faults.erase(std::remove_if(faults.begin(), faults.end(),
                              [&native](std::string const& fault) {
                                if (fault.compare(0, native.size(), native) != 0) return false;
                                return Json::accept(oracle::fix(fault.substr(native.size())).text);
                              }),
               faults.end());
  return faults;
}

/// The faults of the line with which the message is stored.
inline Faults faults_of_line(sk::Message const& message) {
  sk::Entry entry;
  entry.id = sk::EntryId("a");
  entry.body = message;
  std::string line;
  if (auto const done = sk::native_dialect().encode(entry, line); !done)
    return {"it cannot be encoded: " + done.error().message};
  if (line.find('\n') != std::string::npos) return {"it is stored on more than one line: " + line};
  sk::RecordView record;
  record.id = "a";
  record.type = "message";
  record.line = line;
  auto const read = sk::native_dialect().decode(record);
  if (!read) return {"it cannot be read back: " + read.error().message};
  if (read->as<sk::Message>() == nullptr) return {"it is no message when it is read back"};
  return {};
}

/// The faults of an answer that has ended, if more bytes follow.
inline Faults faults_after_end(sk::Provider provider, std::string_view bytes, DecodedAnswer const& whole) {
  Faults faults;
  for (char const* const more :
       {"\n\ndata: <!-- proxy -->\n\n", "\n\ndata: {\"error\":{\"message\":\"late\"}}\n\n",
        "\n\ndata: {\"type\":\"error\",\"error\":{\"message\":\"late\"}}\n\n"}) {
    DecodedAnswer const longer = decode_in_pieces(provider, std::string(bytes) + more, {});
    if (longer.seen != whole.seen) faults.push_back(std::string("followed by ") + more + longer.seen);
  }
  return faults;
}

/// The faults in the readings of these bytes. Pieces must not matter, nor whether the body is streamed.
inline Faults faults_of_bytes(sk::Provider provider, std::string_view bytes, Random& random, bool requests) {
  DecodedAnswer whole = decode_in_pieces(provider, bytes, {});
  std::vector<std::size_t> cuts(1 + random.below(6));
  for (std::size_t& cut : cuts) cut = random.below(bytes.size() + 1);
  std::sort(cuts.begin(), cuts.end());
  DecodedAnswer const pieces = decode_in_pieces(provider, bytes, cuts);
  Faults faults = faults_of_answer(whole.message, whole.failed);
  if (whole.seen != pieces.seen) faults.push_back("in pieces:\n" + pieces.seen + "\nwhole:\n" + whole.seen);
  auto const body = sk::decode_response(provider, bytes);
  if (body) {
    if (!is_object_to_others_now(std::string(bytes.substr(bytes.find_first_not_of(" \t\r\n")))))
      faults.emplace_back("a body that is no object is an answer");
    std::string const seen = seen_message(*body, bytes);
    if (!whole.failed && whole.seen.compare(0, seen.size(), seen) != 0)
      faults.push_back("as a body:\n" + seen + "\nas a stream:\n" + whole.seen);
  }
  if (!requests) return faults;
  for (std::string const& fault : faults_of_line(whole.message)) faults.push_back(fault);
  if (!whole.failed)
    for (std::string const& fault : faults_after_end(provider, bytes, whole)) faults.push_back(fault);
  for (std::string const& fault : faults_of_requests(std::move(whole.message))) faults.push_back(fault);
  return faults;
}

/// The faults of `decode_failure`: the message is never empty.
inline Faults faults_of_failure(int status, std::string_view bytes) {
  if (sk::decode_failure(status, bytes).message.empty()) return {"a failure without a message"};
  return {};
}

}
