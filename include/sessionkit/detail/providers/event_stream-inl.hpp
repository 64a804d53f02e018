// SPDX-License-Identifier: MIT
// Splits the body of a streamed response into events.
#pragma once
#include <sessionkit/detail/json/json_check.hpp>
#include <sessionkit/detail/providers/event_stream.hpp>

#include <utility>

namespace sessionkit { inline namespace v0 { namespace detail {

namespace event_stream_inl { namespace {

constexpr std::size_t max_event = std::size_t{256} << 20; // bytes
constexpr std::string_view between_objects = " \t\r\n,[]";
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

}}

void EventStream::feed(std::string_view bytes, OnData const& on_data) {
  std::string begin;
  if (form_ == Form::unknown) {
    begin = std::exchange(pending_, {}).append(bytes);
    std::string_view const mark = event_stream_inl::byte_order_mark;
    if (begin.size() < mark.size() && mark.substr(0, begin.size()) == begin) {
      pending_ = std::move(begin);
      return;
    }
    bytes = begin;
    if (bytes.substr(0, mark.size()) == mark) bytes.remove_prefix(mark.size());
    std::size_t const first = bytes.find_first_not_of(event_stream_inl::between_objects.substr(0, 4));
    if (first == std::string_view::npos) return;
    bool const json = bytes[first] == '{' || bytes[first] == '[';
    bool const page = bytes[first] == '<'; // of HTML, by which a proxy reports a failure
    form_ = json ? Form::json : page ? Form::broken : Form::events;
  }
  if (form_ == Form::json) return feed_json(bytes, on_data);
  if (form_ == Form::events) return feed_events(bytes, on_data);
}

void EventStream::feed_events(std::string_view bytes, OnData const& on_data) {
  while (!bytes.empty()) {
    if (std::exchange(after_cr_, false) && bytes.front() == '\n') {
      bytes.remove_prefix(1);
      continue;
    }
    std::size_t const end = bytes.find_first_of("\r\n");
    pending_.append(bytes.substr(0, end));
    if (pending_.size() + data_.size() > event_stream_inl::max_event) {
      form_ = Form::broken;
      return;
    }
    if (end == std::string_view::npos) return;
    after_cr_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    end_line(on_data);
  }
}

void EventStream::end_line(OnData const& on_data) {
  std::string const taken = std::exchange(pending_, {});
  std::string_view line = taken;
  if (line.empty()) return end_event(on_data);
  std::size_t const colon = line.find(':');
  if (line.substr(0, colon) != "data") return; // comments, ids, and the name, which the data repeats
  line = colon == std::string_view::npos ? std::string_view{} : line.substr(colon + 1);
  if (!line.empty() && line.front() == ' ') line.remove_prefix(1);
  if (std::exchange(has_data_, true)) data_ += '\n';
  data_ += line;
}

void EventStream::end_event(OnData const& on_data) {
  if (!std::exchange(has_data_, false)) return;
  std::string const data = std::exchange(data_, {});
  on_data(data);
}

void EventStream::feed_json(std::string_view bytes, OnData const& on_data) {
  std::size_t begin = 0; // of what is not in `pending_` yet
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    char const c = bytes[i];
    if (depth_ == 0) {
      begin = i;
      if (event_stream_inl::between_objects.find(c) != std::string_view::npos) continue;
      if (c != '{') {
        form_ = Form::broken;
        return;
      }
    }
    if (in_string_) {
      in_string_ = escaped_ || c != '"';
      escaped_ = !escaped_ && c == '\\';
    } else if (c == '"') {
      in_string_ = true;
    } else if (c == '{' || c == '[') {
      ++depth_;
    } else if ((c == '}' || c == ']') && --depth_ == 0) {
      std::string const object = std::exchange(pending_, {}).append(bytes.substr(begin, i + 1 - begin));
      on_data(object);
      begin = i + 1;
    }
  }
  if (depth_ > 0) pending_.append(bytes.substr(begin));
  if (pending_.size() > event_stream_inl::max_event) form_ = Form::broken;
}

void EventStream::end(OnData const& on_data) {
  if (form_ != Form::events) return;
  if (!pending_.empty()) end_line(on_data);
  if (is_whole_object(data_)) end_event(on_data);
}

}}}
