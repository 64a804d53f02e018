// SPDX-License-Identifier: MIT
#include "chat_request.hpp"
#include "image_url.hpp"

#include <sessionkit/json.hpp>

#include <llm/wire_json.hpp>
#include <map>
#include <utility>

namespace chat_host {

namespace sk = sessionkit;
using llm::Json;

namespace {

constexpr std::size_t most_images = 16;
constexpr std::size_t longest_title = 500; // bytes
constexpr std::size_t longest_sender = 200;
constexpr std::size_t longest_setting = 100000;

sk::Error wrong(std::string why) { return {sk::Errc::invalid_argument, 0, std::move(why)}; }

sk::Result<sk::RawJson> parse_object(std::string const& body) {
  auto json = sk::RawJson::parse(body); // which limits nesting
  if (!json || !json->is_object()) return wrong("the body is not a JSON object");
  return json;
}

using Members = std::map<std::string, sk::RawJson>;

void add_member(Members& members, std::string const& name, std::string const& value) {
  members.insert_or_assign(sk::RawJson::parse(name).value().as_string().value_or(""),
                           sk::RawJson::parse(value).value());
}

/// The members of an object as they were written, because a tree of nlohmann's spells numbers in another way.
/// The last member of a name counts.
Members members_of(sk::RawJson const& object) {
  Members members;
  auto const& text = object.str();
  std::size_t depth = 0, begin = 1, colon = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char const c = text[i];
    if (c == '"')
      for (++i; text[i] != '"'; ++i)
        if (text[i] == '\\') ++i;
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') --depth;
    if (c == ':' && depth == 1) colon = i;
    bool const ends = depth == 0 || (c == ',' && depth == 1);
    if (!ends || colon == 0) continue;
    add_member(members, text.substr(begin, colon - begin), text.substr(colon + 1, i - colon - 1));
    begin = i + 1;
    colon = 0;
  }
  return members;
}

void take_state(sk::RawJson const& state, sk::StateChange& change) {
  for (auto const& [name, value] : members_of(state))
    if (value.is_null())
      change.removed.push_back(name);
    else
      change.set.emplace_back(name, value);
}

/// The text of a member; empty if it is missing or null.
sk::Result<std::string> text_in(Json const& body, char const* name) {
  auto const& value = llm::member(body, name);
  if (value.is_null()) return std::string();
  if (!value.is_string()) return wrong(std::string("'") + name + "' is not a text");
  return value.get<std::string>();
}

sk::Result<void> add_images(Json const& images, sk::Message& said) {
  if (images.is_null()) return {};
  if (!images.is_array() || images.size() > most_images)
    return wrong("'images' is not an array of at most " + std::to_string(most_images));
  for (auto const& each : images) {
    auto image = each.is_string() ? image_of(each.get_ref<std::string const&>()) : std::nullopt;
    if (!image)
      return wrong("an image is neither a data: URL of a PNG, JPEG, GIF or WebP in base64 nor https:");
    said.parts.emplace_back(std::move(*image));
  }
  return {};
}

sk::Result<void> take_settings(Json const& settings, Settings& into) {
  if (settings.is_null()) return {};
  if (!settings.is_object()) return wrong("'settings' is not an object");
  for (auto const& [name, setting] : {std::pair{"model", &into.model}, std::pair{"system", &into.system}}) {
    if (!llm::member(settings, name).is_string()) continue;
    auto value = text_in(settings, name);
    if (!value) return value.error();
    if (value->size() > longest_setting)
      return wrong("'" + std::string(name) + "' is longer than " + std::to_string(longest_setting));
    *setting = std::move(*value);
  }
  return {};
}

}

sk::Result<ChatRequest> parse_chat_request(std::string const& body) {
  auto const object = parse_object(body);
  if (!object) return object.error();
  auto const json = sk::to_nlohmann(*object);
  auto message = text_in(json, "message");
  if (!message) return message.error();
  auto const session = text_in(json, "sessionId");
  if (!session) return session.error();
  auto context = text_in(json, "context");
  if (!context) return context.error();
  auto sender = text_in(json, "sender");
  if (!sender) return sender.error();
  if (sender->size() > longest_sender)
    return wrong("'sender' is longer than " + std::to_string(longest_sender));

  ChatRequest request;
  request.said.role = sk::Role::user;
  if (auto const added = add_images(llm::member(json, "images"), request.said); !added) return added.error();
  bool const blank = message->find_first_not_of(" \t\r\n") == std::string::npos;
  if (blank && request.said.parts.empty()) return wrong("'message' is empty");
  if (!blank) request.said.parts.emplace_back(sk::Text{std::move(*message)});
  request.context = std::move(*context);
  if (auto const taken = take_settings(llm::member(json, "settings"), request.settings); !taken)
    return taken.error();
  auto const after = text_in(json, "after");
  if (!after) return after.error();
  if (llm::member(json, "after").is_string()) request.after = sk::EntryId(*after);
  request.sender = std::move(*sender);
  if (!session->empty()) {
    auto id = sk::SessionId::parse(*session);
    if (!id) return wrong("'sessionId' is not a valid session id");
    request.session = std::move(*id);
  }
  return request;
}

sk::Result<sk::EntryId> parse_entry(std::string const& body) {
  auto const object = parse_object(body);
  if (!object) return object.error();
  auto entry = text_in(sk::to_nlohmann(*object), "entry");
  if (!entry) return entry.error();
  if (entry->empty()) return wrong("'entry' is missing");
  return sk::EntryId(std::move(*entry));
}

sk::Result<BranchChoice> parse_branch(std::string const& body) {
  auto entry = parse_entry(body);
  if (!entry) return entry.error();
  auto const json = sk::to_nlohmann(*parse_object(body));
  auto const& end = llm::member(json, "end");
  if (!end.is_null() && !end.is_boolean()) return wrong("'end' is not true or false");
  return BranchChoice{*std::move(entry), end.is_boolean() && end.get<bool>()};
}

sk::Result<RowChange> parse_row_change(std::string const& body) {
  auto const object = parse_object(body);
  if (!object) return object.error();
  auto const json = sk::to_nlohmann(*object);
  RowChange change;
  auto const& title = llm::member(json, "title");
  auto const& archived = llm::member(json, "archived");
  auto const& state = llm::member(json, "state");
  if (!title.is_null() && !title.is_string()) return wrong("'title' is not a text");
  if (!archived.is_null() && !archived.is_boolean()) return wrong("'archived' is neither true nor false");
  if (!state.is_null() && !state.is_object()) return wrong("'state' is not an object");
  if (title.is_string()) change.title = title.get<std::string>();
  if (change.title && change.title->size() > longest_title)
    return wrong("'title' is longer than " + std::to_string(longest_title));
  if (archived.is_boolean()) change.archived = archived.get<bool>();
  for (auto const& [name, value] : members_of(*object))
    if (name == "state" && value.is_object()) take_state(value, change.state);
  bool const changes =
      change.title || change.archived || !change.state.set.empty() || !change.state.removed.empty();
  if (!changes) return wrong("there is nothing to change: give 'title', 'archived' or 'state'");
  return change;
}

}
