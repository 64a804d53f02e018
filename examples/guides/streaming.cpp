// SPDX-License-Identifier: MIT
// docs/guides/streaming.md: an answer that arrives in pieces, and one that is stopped in the middle.
#include "expect.hpp"

#include <sessionkit/sessionkit.hpp>

#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace sk = sessionkit;
using guide::expect;

namespace {

// [receive]
// `next` returns the next bytes of the response's body, cut anywhere, and no bytes at its end.
sk::Result<sk::Message> receive(sk::Turn& turn, std::function<std::string()> const& next) {
  sk::StreamDecoder decoder(sk::Provider::anthropic, [](sk::AnswerPiece const& piece) {
    if (piece.kind == sk::AnswerPiece::text)
      std::fwrite(piece.content.data(), 1, piece.content.size(), stdout);
  });
  for (std::string bytes = next(); !bytes.empty(); bytes = next()) decoder.feed(bytes);
  sk::Message answer = decoder.finish();
  if (auto const& failure = decoder.failure())
    return sk::Error{sk::Errc::unavailable, 0, failure->message}; // nothing is stored: ask again
  if (auto const stored = turn.append(answer); !stored) return stored.error();
  return answer;
}
// [receive]

// [collect]
// An event of a provider's client library during an answer.
struct Delta {
  enum Kind { text, call, arguments } kind;
  std::string value;
};

// Joins all pieces into one message. `stopped` is called before each piece.
sk::Message collect(std::vector<Delta> const& stream, std::function<bool()> const& stopped) {
  sk::MessageBuilder builder;
  sk::Generation generation{"anthropic", "claude-sonnet-4-5"};
  generation.stop = sk::StopReason::end_turn;
  for (Delta const& delta : stream) {
    if (stopped()) {
      generation.stop = sk::StopReason::aborted;
      break;
    }
    if (delta.kind == Delta::text) builder.text(delta.value), std::fputs(delta.value.c_str(), stdout);
    if (delta.kind == Delta::call) builder.begin_tool_use(delta.value, "read_file");
    if (delta.kind == Delta::arguments) builder.tool_input(delta.value);
  }
  return std::move(builder).finish(std::move(generation));
}
// [collect]

// [interrupted]
// The user pressed Ctrl-C: store the partial answer as an aborted one.
sk::Result<void> keep_what_came(sk::Turn& turn, sk::Message partial) {
  partial.generation->stop = sk::StopReason::aborted; // a decoder says `error`: the end did not come
  if (!partial.parts.empty())
    if (auto const stored = turn.append(partial); !stored) return stored.error();
  for (sk::ToolUse const* call : partial.tool_uses()) // complete, but never run
    if (auto const stored = turn.append(sk::tool_result(*call, "interrupted", true)); !stored)
      return stored.error();
  return turn.commit();
}
// [interrupted]

bool never() { return false; }

}

int main() {
  auto const store = sk::open_file_store(guide::fresh_folder("streaming")).value();
  auto session = sk::Session::create(store).value();
  std::vector<Delta> const stream{{Delta::text, "Let me "},
                                  {Delta::text, "look."},
                                  {Delta::call, "tu_1"},
                                  {Delta::arguments, R"({"path":)"},
                                  {Delta::arguments, R"("a.txt"})"}};

  std::vector<std::string> bytes{
      "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_",
      "block\":{\"type\":\"text\",\"text\":\"Good \"}}\n\ndata: "
      "{\"type\":\"content_block_delta\",\"index\":0,",
      "\"delta\":{\"type\":\"text_delta\",\"text\":\"morning.\"}}\n\ndata: {\"type\":\"message_stop\"}\n\n",
      ""};
  auto from_bytes = session.begin_turn();
  from_bytes.append(sk::user("Hello")).value();
  auto place = bytes.begin();
  expect(receive(from_bytes, [&] { return *place++; }).value().text() == "Good morning.",
         "bytes become a message");
  from_bytes.commit().value();

  auto whole = session.begin_turn();
  whole.append(sk::user("What is in a.txt?")).value();
  auto const answer = collect(stream, never);
  whole.append(answer).value();
  expect(answer.text() == "Let me look." && answer.tool_uses().size() == 1, "pieces become one message");
  expect(answer.tool_uses().front()->input.str() == R"({"path":"a.txt"})", "so do arguments");
  whole.append(sk::tool_result(*answer.tool_uses().front(), "nothing")).value();
  whole.append(sk::assistant("It is empty.")).value();
  whole.commit().value();

  auto cut = session.begin_turn();
  cut.append(sk::user("And b.txt?")).value();
  int pieces = 0;
  auto const partial = collect(stream, [&] { return ++pieces > 4; }); // in the middle of the arguments
  expect(partial.text() == "Let me look." && partial.tool_uses().empty(), "half a call is dropped");
  keep_what_came(cut, partial).value();

  auto again = sk::Session::open(sk::open_file_store("streaming").value(), session.id()).value();
  again.append(sk::user("Go on.")).value();
  auto const history = again.history({sk::Provider::anthropic}).value();
  expect(history.messages.size() == 9,
         "two messages of the first turn, four of the second, then the partial answer");
  expect(history.report.empty(), "nothing had to be repaired");
}
