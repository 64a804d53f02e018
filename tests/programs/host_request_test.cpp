// SPDX-License-Identifier: MIT
#include "support/catch.hpp"

#include <chat_host/caller.hpp>
#include <chat_host/chat_request.hpp>
#include <chat_host/image_url.hpp>
#include <chat_host/text.hpp>
#include <string>
#include <variant>

namespace sk = sessionkit;
using chat_host::parse_chat_request;

namespace {

std::string refusal_of(std::string const& body) {
  auto const request = parse_chat_request(body);
  REQUIRE_FALSE(request);
  CHECK(request.error().code == sk::Errc::invalid_argument);
  return request.error().message;
}

}

TEST_CASE("a request has the members it names, and the others are empty", "[host]") {
  auto const plain = parse_chat_request(R"({"message":" hi ","sessionId":null,"more":1})").value();
  CHECK(plain.said.text() == " hi ");
  CHECK(plain.said.role == sk::Role::user);
  CHECK_FALSE(plain.session);
  CHECK(plain.context.empty());

  auto const full =
      parse_chat_request(
          R"({"sessionId":"ses-1","context":"page 7","images":["https://a.example/x.png","data:image/gif;base64,R0lGODlh"]})")
          .value();
  CHECK(full.session->str() == "ses-1");
  CHECK(full.context == "page 7");
  REQUIRE(full.said.parts.size() == 2);
  CHECK(std::get<sk::Url>(std::get<sk::Image>(full.said.parts[0]).source).url == "https://a.example/x.png");
  CHECK(std::get<sk::Image>(full.said.parts[1]).media_type == "image/gif");
}

TEST_CASE("an invalid request gets an error that names the member", "[host]") {
  CHECK(refusal_of("[]") == "the body is not a JSON object");
  CHECK(refusal_of("{") == "the body is not a JSON object");
  CHECK(refusal_of(R"({"message":" \n"})") == "'message' is empty");
  CHECK(refusal_of(R"({"message":7})") == "'message' is not a text");
  CHECK(refusal_of(R"({"message":"x","sessionId":"../x"})") == "'sessionId' is not a valid session id");
  CHECK(refusal_of(R"({"message":"x","images":"y"})") == "'images' is not an array of at most 16");
  auto const refusal_of_change = [](std::string const& body) {
    return chat_host::parse_row_change(body).error().message;
  };
  CHECK(refusal_of_change(R"({"title":")" + std::string(501, 'x') + R"("})") == "'title' is longer than 500");
  CHECK(refusal_of_change(R"({"title":7})") == "'title' is not a text");
  CHECK(refusal_of_change(R"({"archived":"yes"})") == "'archived' is neither true nor false");
  CHECK(refusal_of_change(R"({"state":[1]})") == "'state' is not an object");
  CHECK(refusal_of_change("{}") == "there is nothing to change: give 'title', 'archived' or 'state'");
}

TEST_CASE("a change of a row names what changes", "[host]") {
  auto const change =
      chat_host::parse_row_change(R"({"title":"T","archived":true,"state":{"a":1.0,"b":null}})").value();
  CHECK(change.title == "T");
  CHECK(change.archived == true);
  REQUIRE(change.state.set.size() == 1);
  CHECK(change.state.set[0].second.str() == "1.0");
  CHECK(change.state.removed == std::vector<std::string>{"b"});
}

TEST_CASE("an image begins as its type requires and is base64 to the last character", "[host]") {
  for (auto const* url : {"data:image/png;base64,iVBORw0KGgo=", "data:image/jpeg;base64,/9j/4A==",
                          "data:image/gif;base64,R0lGODlh", "data:image/webp;base64,UklGRgAAAABXRUJQ",
                          "https://a.example/x?y#z"})
    CHECK(chat_host::image_of(url));
  for (auto const* url :
       {"data:image/png;base64,iVBORw0KGgo", "data:image/png;base64,iVBORw0K===",
        "data:image/png;base64,/9j/4A==", "data:image/webp;base64,UklGRg==", "data:image/png;base64,",
        "data:image/svg+xml;base64,PHN2Zz4=", "data:image/png,iVBORw0KGgo=", "http://a.example/x", "https://",
        "https://?", "https://a b", "https://a\r\nb", "file:///x", ""})
    CHECK_FALSE(chat_host::image_of(url));
}

TEST_CASE("a token belongs to one person, and the scheme ignores case", "[host]") {
  std::vector<chat_host::Credential> const known = {
      {"all", {}}, {"a", {"ada"}}, {"", {"nobody"}}, {"x", {"admin", true}}};
  CHECK(chat_host::authenticate("Bearer a", known)->user == "ada");
  CHECK(chat_host::authenticate("bEARER x", known)->admin);
  CHECK(chat_host::authenticate("Bearer all", known)->user.empty());
  for (auto const* header : {"", "Bearer ", "Bearer", "a", "Bearer A", "Bearer  a", "Basic a", "Bearer aa"})
    CHECK_FALSE(chat_host::authenticate(header, known));
}

TEST_CASE("text is cut between characters", "[host]") {
  CHECK(chat_host::cut("aé題😀", 99) == "aé題😀");
  CHECK(chat_host::cut("aé題😀", 9) == "aé題");
  CHECK(chat_host::cut("aé題😀", 6) == "aé題");
  CHECK(chat_host::cut("aé題😀", 5) == "aé");
  CHECK(chat_host::cut("aé題😀", 2) == "a");
  CHECK(chat_host::cut("é", 1).empty());
}
