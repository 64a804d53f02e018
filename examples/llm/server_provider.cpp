// SPDX-License-Identifier: MIT
#include "server_provider.hpp"

#include <string>
#include <utility>
#include <variant>

namespace llm {

namespace sk = sessionkit;

namespace {

class ServerProvider final : public Provider {
 public:
  ServerProvider(std::shared_ptr<Provider> inner, sk::ServerRules const& server) : inner_(std::move(inner)) {
    target_.provider = inner_->format();
    target_.server = server;
  }

  sk::Provider format() const noexcept override { return target_.provider; }
  std::string name() const override { return inner_->name(); }
  sk::ServerRules server() const noexcept override { return target_.server; }

  Answer generate(Request const& request, OnEvent const& on_event, CancelToken const& cancel) override {
    Request sent = request;
    for (auto& tool : sent.tools) tool.name = sk::sent_tool_name(target_, tool.name);
    auto const renamed = [&](Event event) {
      if (auto* begin = std::get_if<ToolUseBegin>(&event)) begin->name = host_name(request, begin->name);
      on_event(event);
    };
    Answer answer = inner_->generate(sent, on_event ? OnEvent(renamed) : OnEvent(), cancel);
    for (auto& part : answer.message.parts)
      if (auto* call = std::get_if<sk::ToolUse>(&part)) call->name = host_name(request, call->name);
    return answer;
  }

 private:
  // The name of the tool that was offered under this name: also of one whose name was cut.
  std::string host_name(Request const& request, std::string const& sent) const {
    for (auto const& tool : request.tools)
      if (sk::sent_tool_name(target_, tool.name) == sent) return tool.name;
    return sk::host_tool_name(target_, sent);
  }

  std::shared_ptr<Provider> inner_;
  sk::Target target_;
};

}

std::shared_ptr<Provider> at_server(std::shared_ptr<Provider> inner, sk::ServerRules const& server) {
  return std::make_shared<ServerProvider>(std::move(inner), server);
}

}
