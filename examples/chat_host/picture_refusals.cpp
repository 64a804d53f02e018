// SPDX-License-Identifier: MIT
#include "picture_refusals.hpp"

#include <sessionkit/json.hpp>

#include <llm/wire_json.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace chat_host {

namespace sk = sessionkit;
using llm::Json;

namespace {

// Of Anthropic's messages, and of chat completions.
constexpr std::string_view picture_types[] = {"image", "image_url"};

bool is_picture(Json const& value) {
  auto const& type = llm::member(value, "type");
  if (!type.is_string()) return false;
  for (auto const picture : picture_types)
    if (type == picture) return true;
  return false;
}

/// How many were taken out. Only what messages consist of is looked at, never what a tool was called with.
std::size_t take_pictures_out(Json& messages) {
  std::size_t taken = 0;
  for (auto& message : messages) {
    if (!message.is_object() || !message.contains("content") || !message["content"].is_array()) continue;
    for (auto& part : message["content"]) {
      if (!is_picture(part)) continue;
      part = {{"type", "text"}, {"text", "[a picture that could not be read]"}};
      ++taken;
    }
  }
  return taken;
}

class ForgivingProvider final : public llm::Provider {
 public:
  explicit ForgivingProvider(std::shared_ptr<llm::Provider> provider) : provider_(std::move(provider)) {}

  sk::Provider format() const noexcept override { return provider_->format(); }

  llm::Answer generate(llm::Request const& request, llm::OnEvent const& on_event,
                       llm::CancelToken const& cancel) override {
    auto answer = provider_->generate(request, on_event, cancel);
    if (!answer.failure || answer.failure->kind != llm::FailureKind::refused) return answer;
    auto messages = llm::parse_json(request.parts.messages).value_or(Json());
    if (take_pictures_out(messages) == 0) return answer;
    if (on_event) on_event(llm::RetryWait{2, {}, "a picture was refused (" + answer.failure->message + ")"});
    auto without = request;
    without.parts.messages = sk::to_raw_json(messages).str();
    return provider_->generate(without, on_event, cancel);
  }

 private:
  std::shared_ptr<llm::Provider> provider_;
};

}

std::shared_ptr<llm::Provider> forgive_pictures(std::shared_ptr<llm::Provider> provider) {
  return std::make_shared<ForgivingProvider>(std::move(provider));
}

}
