// SPDX-License-Identifier: MIT
// Recognises documents of go-kratos/blades, and finds their messages, also if they are damaged.
#pragma once
#include <sessionkit/detail/import/blades_pieces.hpp>
#include <sessionkit/detail/json/json.hpp>
#include <sessionkit/detail/transcript/line_scan.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace blades_pieces_inl { namespace {

// A document may be nested 128 deep, and a message is in its history. Values of the state are one level
// deeper in our lines.
constexpr std::size_t deepest_item = 126, deepest_member = 120;

// After a fault, reading goes on at one of these.
constexpr std::array<std::string_view, 3> names_after_state{R"("history")", R"("created_at")",
                                                            R"("updated_at")"};
constexpr std::size_t history_name = 0; // its index

struct KnownMember {
  std::string_view name;
  std::array<JsonKind, 2> kinds;
};
constexpr std::array<KnownMember, 6> known_members{{{"id", {JsonKind::string, JsonKind::string}},
                                                    {"state", {JsonKind::object, JsonKind::null}},
                                                    {"history", {JsonKind::array, JsonKind::null}},
                                                    {"created_at", {JsonKind::string, JsonKind::string}},
                                                    {"updated_at", {JsonKind::string, JsonKind::string}},
                                                    {"version", {JsonKind::number, JsonKind::number}}}};

bool is_known_role(std::string_view raw) {
  std::string const role = to_text(raw);
  return role == "user" || role == "assistant" || role == "system" || role == "tool";
}

// Objects inside a message may have a role too, so a message that is found again needs more.
bool is_message(std::string_view object) {
  return is_known_role(find_member(object, "role"))
         && json_kind(find_member(object, "text")) == JsonKind::string
         && json_kind(find_member(object, "timestamp")) == JsonKind::string;
}

DamageKind kind_of(JsonCheck const& check) noexcept {
  return check.fault == JsonCheck::too_deep ? DamageKind::too_deep : DamageKind::bad_json;
}

// Reads a document by its structure. After a fault it goes on at the next text that begins a message or a
// member: in JSON, such a text with its quotes is never inside a string.
class Scan {
 public:
  explicit Scan(std::string_view text)
      : text_(text),
        p_(text.data()),
        end_(p_ + text.size()),
        left_(8 * text.size() + (std::size_t{1} << 16)),
        whole_(check_json(text).fault == JsonCheck::none) {}

  BladesPieces run() && {
    p_ = skip_space(p_, end_);
    bool more = p_ != end_ && *p_ == '{';
    if (more)
      ++p_;
    else
      more = fault(p_) || next_member();
    while (more) more = member() || (!found_.complete && next_member());
    if (open_fault_ && is_torn(found_.damage.back())) found_.damage.back().kind = DamageKind::torn_tail;
    close_fault(end_);
    return std::move(found_);
  }

 private:
  // Reads a member and what follows it. False at the end of the document, or at a fault.
  bool member() {
    p_ = skip_space(p_, end_);
    if (p_ != end_ && *p_ == '}' && found_.members.empty() && !found_.has_history) return finish();
    if (p_ == end_ || *p_ != '"') return fault(p_);
    char const* const key = p_ + 1;
    char const* const key_end = string_end(key, end_);
    if (key_end == nullptr || !check_json(between(p_, key_end + 1))) return fault(p_);
    char const* const colon = skip_space(key_end + 1, end_);
    if (colon == end_ || *colon != ':') return fault(colon);
    char const* const from = std::exchange(p_, skip_space(colon + 1, end_));
    if (!value(from, between(key, key_end))) return false;
    p_ = skip_space(p_, end_);
    if (p_ != end_ && *p_ == '}' && (found_.has_history || place_of(history_name) == end_)) return finish();
    if (p_ == end_ || *p_ != ',') return fault(p_) || begins_known_member(p_); // without a comma before it
    ++p_;
    return true;
  }

  bool finish() {
    ++p_;
    found_.complete = true;
    if (char const* const rest = skip_space(p_, end_); rest != end_) fault(rest);
    return false;
  }

  // The value of the member that begins at `from`.
  bool value(char const* from, std::string_view key) {
    bool const history = key_is(key, "history");
    if (history && p_ != end_ && *p_ == '[') return items();
    char const* const stop = skip(p_);
    if (stop == nullptr) return false;
    std::string_view const raw = between(p_, stop);
    JsonCheck const check = check_json(raw, deepest_member);
    if (!check) {
      spend(raw.size());
      fault(p_, kind_of(check));
      if (raw.find("\"history\"") != std::string_view::npos) return false; // a missing quote made it a value
      close_fault(stop);
    } else if (history) {
      found_.has_history = found_.has_history || raw == "null";
    } else {
      close_fault(from);
      found_.members.emplace_back(key, raw);
    }
    p_ = stop;
    return true;
  }

  // The items of the history. `p_` is at its bracket, and then after the closing one.
  bool items() {
    std::vector<std::string_view> before;
    if (!open_fault_) before.swap(found_.items); // of two histories the last one counts
    bool const ended = read_items();
    if (!ended && found_.items.empty()) found_.items = std::move(before); // unless damage began it
    return ended;
  }

  // Adds the items up to the bracket that ends the history. False at the end of the document.
  bool read_items() {
    found_.has_history = true;
    close_fault(p_);
    p_ = skip_space(p_ + 1, end_);
    bool found_again = false;
    if (p_ != end_ && *p_ == ']') {
      ++p_;
      if (ends_history()) return true;
      fault(p_);
      if (!go_to_next_message()) return false;
      found_again = true;
    }
    for (;;) {
      char const* const begin = skip_space(p_, end_);
      char const* const stop = skip(begin);
      char const* const after = stop != nullptr ? skip_space(stop, end_) : end_;
      bool const goes_on = after != end_ && (*after == ',' || *after == ']');
      bool const swallows = !whole_ && stop != nullptr && *begin == '[' && next_message(stop) != nullptr;
      bool const good = stop != nullptr && !swallows && item(between(begin, stop), goes_on, found_again);
      if (swallows) {
        spend(static_cast<std::size_t>(stop - begin));
        fault(begin);
      }
      if (!good) p_ = begin == end_ ? end_ : begin + 1;
      // A missing quote makes the next messages a part of a bad one.
      bool const bad_alone = !good && !found_again && stop != nullptr && next_message(stop) == nullptr;
      if (goes_on && (good || bad_alone)) {
        if (!good) close_fault(stop);
        p_ = after + 1;
        if (*after == ']' && ends_history()) return true;
        found_again = false;
        if (*after == ',') continue;
        fault(after);
      } else if (good) {
        fault(p_ = after);
      }
      if (!go_to_next_message()) return false;
      found_again = true;
    }
  }

  bool go_to_next_message() {
    char const* const next = exhausted() ? nullptr : next_message(end_);
    if (next != nullptr) p_ = next;
    return next != nullptr;
  }

  // Whether the bracket before `p_` ends the history. In a damaged document it may be damage: a known member
  // or the end of the document follows the history, or anything but messages.
  bool ends_history() {
    if (whole_) return true;
    char const* p = skip_space(p_, end_);
    if (p != end_ && *p == ',') p = skip_space(p + 1, end_);
    if (p == end_ || (*p == '}' && skip_space(p + 1, end_) == end_)) return true;
    if (*p != '"' && *p != '}') return false;
    if (exhausted()) return true;
    char const* const message = next_message(end_);
    return message == nullptr || (begins_known_member(p) && !history_ends_after(message));
  }

  // True if a list ends after `p`, and a known member follows it.
  bool history_ends_after(char const* p) {
    char const* const from = p;
    while ((p = std::find(p, end_, ']')) != end_) {
      p = skip_space(p + 1, end_);
      if (p != end_ && *p == ',' && begins_known_member(skip_space(p + 1, end_))) break;
    }
    spend(static_cast<std::size_t>(p - from));
    return p != end_;
  }

  bool begins_known_member(char const* p) const {
    std::string_view const text = between(p, end_);
    return std::any_of(known_members.begin(), known_members.end(), [&](KnownMember const& member) {
      std::size_t const end = 1 + member.name.size();
      return text.size() > end && text.front() == '"' && text[end] == '"'
             && text.substr(1, end - 1) == member.name;
    });
  }

  // Keeps an item if it is good. Only an object has its end without what follows it.
  bool item(std::string_view raw, bool goes_on, bool found_again) {
    JsonCheck const check = check_json(raw, deepest_item);
    if (check && (goes_on || raw.front() == '{') && (!found_again || is_message(raw))) {
      close_fault(raw.data());
      found_.items.push_back(raw);
      return true;
    }
    spend(raw.size());
    fault(raw.data(), check ? DamageKind::bad_json : kind_of(check));
    return false;
  }

  // The next text that begins a message, after `p_` and before `to`. Null if there is none.
  char const* next_message(char const* to) {
    constexpr std::string_view first = "\"role\"";
    if (p_ >= to) return nullptr;
    std::string_view const where = between(p_, to);
    std::size_t at = 0;
    while ((at = where.find(first, at)) != std::string_view::npos) {
      char const* p = p_ + at;
      while (p != p_ && is_json_space(p[-1])) --p;
      if (p != p_ && p[-1] == '{') return p - 1;
      at += first.size();
    }
    if (to == end_) spend(where.size());
    return nullptr;
  }

  // Goes to the next text that begins one of the members after the state.
  bool next_member() {
    if (exhausted() || p_ == end_) return false;
    ++p_;
    char const* next = end_;
    for (std::size_t name = 0; name < names_after_state.size(); ++name) next = std::min(next, place_of(name));
    if (next != end_) p_ = next;
    return next != end_;
  }

  // Where this name comes next, from `p_` on; the end if it does not. Each byte is searched once for each
  // name.
  char const* place_of(std::size_t name) {
    char const*& place = places_[name];
    if (place == nullptr || (place < p_ && place != end_)) {
      std::size_t const at = between(p_, end_).find(names_after_state[name]);
      place = at == std::string_view::npos ? end_ : p_ + at;
    }
    return place;
  }

  char const* skip(char const* begin) {
    char const* const stop = skip_value(begin, end_);
    if (stop == nullptr) {
      spend(static_cast<std::size_t>(end_ - begin));
      fault(begin);
    }
    return stop;
  }
  void spend(std::size_t bytes) noexcept { left_ -= std::min(left_, bytes); }
  bool exhausted() const noexcept { return left_ == 0; }

  // What is skipped begins here, if nothing is skipped already. Always false.
  bool fault(char const* at, DamageKind kind = DamageKind::bad_json) {
    if (std::exchange(open_fault_, true)) return false;
    found_.damage.push_back({static_cast<std::uint64_t>(at - text_.data()), 0, kind, {}});
    return false;
  }
  void close_fault(char const* at) {
    if (!std::exchange(open_fault_, false)) return;
    Damage& last = found_.damage.back();
    last.length = static_cast<std::uint64_t>(at - text_.data()) - last.offset;
    if (last.length == 0 && at != end_) last.length = 1; // where something is missing
  }

  // Whether the document ends in what is damaged.
  bool is_torn(Damage const& last) const {
    char const* const at = text_.data() + last.offset;
    if (found_.complete || last.kind != DamageKind::bad_json) return false;
    char const* const stop = at == end_ ? end_ : skip_value(at, end_);
    return stop == nullptr || stop == end_;
  }

  std::string_view text_;
  char const* p_;
  char const* end_;
  std::size_t left_; ///< bytes that may still be read in vain
  bool whole_;       ///< the document is JSON, so its structure is right
  std::array<char const*, names_after_state.size()> places_ =
      {}; ///< where these names come next; null: unknown
  bool open_fault_ = false;
  BladesPieces found_;
};

// What the members of a beginning show.
struct Shown {
  bool strange = false; ///< a member that no document of blades has, or that has another type there
  bool history = false, state = false;
  std::size_t others = 0; ///< members of the known names beside the history
  std::size_t items = 0, messages = 0;
  std::string id = {};

  void note(std::string_view key, std::string_view value) {
    strange = strange || key_is(key, "type");
    for (KnownMember const& known : known_members) {
      if (!key_is(key, known.name)) continue;
      JsonKind const kind = json_kind(value);
      strange = strange || std::find(known.kinds.begin(), known.kinds.end(), kind) == known.kinds.end();
      if (known.name == "id") id = to_text(value);
      state = state || known.name == "state";
      history = history || known.name == "history";
      others += known.name == "history" ? 0U : 1U;
      if (known.name == "history" && kind == JsonKind::array) note_items(value);
    }
  }

  // The history may be cut, and the last item with it.
  void note_items(std::string_view array) {
    std::string_view rest = array.empty() ? array : array.substr(1);
    bool const whole = for_elements(array, [&](std::string_view item) {
      rest = array.substr(static_cast<std::size_t>(item.data() + item.size() - array.data()));
      note_item(item, true);
      return items < 8;
    });
    if (whole) return;
    rest = trim_space(rest);
    if (!rest.empty() && rest.front() == ',') rest = trim_space(rest.substr(1));
    if (!rest.empty()) note_item(rest, false);
  }

  void note_item(std::string_view item, bool whole) {
    bool role = false, content = false, other = false;
    for_members(item, [&](std::string_view key, std::string_view value) {
      JsonKind const kind = json_kind(value);
      if (key_is(key, "role"))
        role = kind == JsonKind::string;
      else if (key_is(key, "text"))
        content = content || kind == JsonKind::string;
      else if (key_is(key, "tool_calls"))
        content = content || kind == JsonKind::array;
      else if (key_is(key, "tool_result"))
        content = content || kind == JsonKind::object;
      else
        other = other || !(key_is(key, "timestamp") || key_is(key, "metadata"));
      return true;
    });
    ++items;
    messages += role && (content || (!whole && !other)) ? 1U : 0U;
  }
};

// Notes the member in whose value the text ends. `text` begins after the member before it.
void note_begun(Shown& shown, std::string_view text) {
  text = trim_space(text);
  if (!text.empty() && text.front() == ',') text = trim_space(text.substr(1));
  if (text.empty() || text.front() != '"') return;
  char const* const end = text.data() + text.size();
  char const* const key = text.data() + 1;
  char const* const key_end = string_end(key, end);
  if (key_end == nullptr) return;
  char const* const colon = skip_space(key_end + 1, end);
  if (colon == end || *colon != ':') return;
  char const* const value = skip_space(colon + 1, end);
  if (value != end) shown.note(between(key, key_end), between(value, end));
}

}}

BladesPieces blades_pieces(std::string_view document) { return blades_pieces_inl::Scan(document).run(); }

bool begins_blades(std::string_view begin, std::string_view stem, std::string* id) {
  if (begins_with_mark(begin)) begin.remove_prefix(utf8_mark.size());
  begin = trim_space(begin);
  if (begin.empty() || begin.front() != '{') return false;
  blades_pieces_inl::Shown shown;
  std::string_view rest = begin.substr(1);
  bool const whole = for_members(begin, [&](std::string_view key, std::string_view value) {
    shown.note(key, value);
    rest = begin.substr(static_cast<std::size_t>(value.data() + value.size() - begin.data()));
    return !shown.strange;
  });
  rest = trim_space(rest);
  if (!whole && !rest.empty() && rest.front() == '}') return false; // more text follows the object
  if (!whole) blades_pieces_inl::note_begun(shown, rest);
  if (id) *id = shown.id;
  if (shown.strange || (shown.items > 0 && shown.messages == 0)) return false;
  if (whole) return shown.history && !shown.id.empty() && shown.others >= 2;
  if (shown.history) return shown.others >= 1;
  return shown.state && !shown.id.empty() && shown.id == stem;
}

}}}
