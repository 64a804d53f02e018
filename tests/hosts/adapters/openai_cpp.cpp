// SPDX-License-Identifier: MIT
// A chat on olrea/openai-cpp: it sends and returns JSON of nlohmann's, so that it needs no adapter.
#include <sessionkit/sessionkit.hpp>

#include <cstdlib>
#include <iostream>
#include <openai.hpp>
#include <string>

namespace sk = sessionkit;

int main() {
  openai::start("none").setBaseUrl(std::string(std::getenv("TEST_URL")) + "/v1/");
  sk::Target const target{sk::Provider::openai_chat};
  auto session = sk::Session::resume(sk::open_file_store("sessions").value(), "chat").value();
  for (std::string line; std::getline(std::cin, line);) {
    session.append(sk::user(line)).value();
    auto const messages = openai::Json::parse(session.request(target).value().messages);
    auto const answer = openai::chat().create({{"model", "gpt-4o"}, {"messages", messages}});
    session.append(sk::decode_response(target.provider, answer.dump()).value()).value();
    std::cout << "answer " << session.last().value()->as<sk::Message>()->text() << std::endl;
  }
}
