// SPDX-License-Identifier: MIT
#include "text.hpp"
#include "titling.hpp"

#include <llm/llm_summarizer.hpp>
#include <string_view>

namespace chat_host {

namespace sk = sessionkit;

namespace {

constexpr std::size_t longest_excerpt = 4000; // bytes
constexpr std::size_t longest_name = 100;     // bytes

sk::SummaryPrompt make_words() {
  sk::SummaryPrompt words{"title"};
  words.system = "You name conversations.";
  words.conversation[0] = "<conversation>\n";
  words.conversation[1] = "\n</conversation>\n\n";
  words.first = "Name this conversation in at most eight words. Answer with the name alone.";
  return words;
}
sk::SummaryPrompt const title_words = make_words();

/// The end of the conversation, without tools.
std::string excerpt_of(sk::Context const& context) {
  std::string text;
  for (auto entry = context.entries.rbegin(); entry != context.entries.rend(); ++entry) {
    auto const* const message = entry->as<sk::Message>();
    if (message == nullptr || message->role == sk::Role::tool || text.size() >= longest_excerpt) continue;
    auto const& speaker = message->role == sk::Role::user ? title_words.user : title_words.assistant;
    std::string piece(speaker);
    piece += cut(message->text(), longest_excerpt / 4);
    piece += "\n\n";
    text.insert(0, piece);
  }
  return text;
}

}

sk::Result<std::string> propose_title(sk::Session& session, agent::Agent const& agent,
                                      llm::CancelToken const& cancel) {
  auto const context = session.context();
  if (!context) return context.error();
  sk::SummaryRequest request;
  request.words = &title_words;
  request.conversation = excerpt_of(*context);
  request.max_tokens = longest_name;
  auto title = llm::LlmSummarizer(agent.provider, agent.target.model, cancel).summarize(request);
  if (!title) return title;
  auto const line = std::string_view(*title).substr(0, title->find('\n'));
  return std::string(cut(line, longest_name));
}

}
