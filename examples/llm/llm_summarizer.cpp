// SPDX-License-Identifier: MIT
#include "llm_summarizer.hpp"

#include <utility>

namespace llm {

namespace sk = sessionkit;

namespace {

// The default if the caller gives no maximum length.
constexpr std::size_t default_summary_tokens = 2000;

}

sk::Result<std::string> LlmSummarizer::summarize(sk::SummaryRequest const& request) {
  sk::Target target;
  target.provider = provider_->format();
  target.server = provider_->server();
  target.model = model_;
  target.system = request.system();
  sk::History history;
  history.messages = {sk::user(request.prompt())};
  history.system = target.system;

  Request question;
  question.model = model_;
  question.parts = sk::encode(history, target);
  question.max_tokens = request.max_tokens == 0 ? default_summary_tokens : request.max_tokens;
  Answer answer = provider_->generate(question, {}, cancel_);
  if (answer.failure) return sk::Error{sk::Errc::unavailable, 0, "no summary: " + answer.failure->message};
  return answer.message.text();
}

}
