// SPDX-License-Identifier: MIT
#pragma once
#include "provider.hpp"

#include <sessionkit/summarizer.hpp>

#include <memory>
#include <string>

namespace llm {

/// A model writes the summaries of compactions. An answer that failed or was cut is an error: half a
/// summary is not used.
class LlmSummarizer final : public sessionkit::Summarizer {
 public:
  LlmSummarizer(std::shared_ptr<Provider> provider, std::string model, CancelToken cancel = {})
      : provider_(std::move(provider)), model_(std::move(model)), cancel_(std::move(cancel)) {}

  sessionkit::Result<std::string> summarize(sessionkit::SummaryRequest const& request) override;

 private:
  std::shared_ptr<Provider> provider_;
  std::string model_;
  CancelToken cancel_;
};

}
