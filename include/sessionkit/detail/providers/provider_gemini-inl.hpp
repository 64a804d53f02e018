// SPDX-License-Identifier: MIT
// Encodes a history for Gemini's generateContent.
#pragma once
#include <sessionkit/detail/history/provider_rules.hpp>
#include <sessionkit/detail/json/json.hpp>
#include <sessionkit/detail/providers/provider_encoders.hpp>
#include <sessionkit/detail/providers/provider_gemini.hpp>

#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

// Gemini's generateContent has the roles user and model. The results of a turn are one content of the user
// with nothing else in it. They answer the calls in order and carry no ids, because not every host of the API
// knows ids.

namespace sessionkit { inline namespace v0 {

namespace provider_gemini_inl { namespace {

using detail::append_json_string;
using detail::next_element;

// The images that `functionResponse.parts` accepts.
bool fits_in_gemini_result(Image const& image) noexcept {
  return std::holds_alternative<Base64>(image.source)
         && (image.media_type == "image/png" || image.media_type == "image/jpeg"
             || image.media_type == "image/webp");
}

class GeminiEncoder {
 public:
  GeminiEncoder(std::string& out, Target const& target) : out_(out), model_(target.model) {
    knows_model_ = !model_.empty();
  }

  void add(Message const& message) {
    if (message.role == Role::assistant) return assistant(message);
    results(message);
    if (message.role != Role::tool) user(message);
  }

  // Writes the images of results that no user message followed.
  void flush_images() {
    if (images_.empty()) return;
    open("user");
    append_images();
    close();
  }

 private:
  void open(std::string_view role) {
    begin_ = out_.size();
    next_element(out_);
    ((out_ += R"({"role":")") += role) += R"(","parts":[)";
    in_results_ = false;
  }
  void close() {
    if (out_.back() == '[')
      out_.resize(begin_);
    else
      out_ += "]}";
  }

  void signature(std::string_view text) {
    if (!text.empty()) append_json_string(out_ += R"(,"thoughtSignature":)", text);
    out_ += '}';
  }
  void text(std::string_view words) {
    next_element(out_);
    append_json_string(out_ += R"({"text":)", words);
  }
  void image(Image const& image) {
    next_element(out_);
    auto const* data = std::get_if<Base64>(&image.source);
    append_json_string(out_ += data ? R"({"inlineData":{"mimeType":)" : R"({"fileData":{"mimeType":)",
                       image.media_type);
    append_json_string(out_ += data ? R"(,"data":)" : R"(,"fileUri":)",
                       data ? data->data : std::get<Url>(image.source).url);
    out_ += "}}";
  }

  void append_images() {
    if (images_.empty()) return;
    text(detail::result_images_text);
    out_ += '}';
    for (Image const* picture : images_) image(*picture);
    images_.clear();
  }

  void user(Message const& message) {
    open("user");
    append_images();
    for (Part const& part : message.parts) {
      if (auto const* words = std::get_if<Text>(&part)) text(words->text), out_ += '}';
      if (auto const* picture = std::get_if<Image>(&part)) image(*picture);
      if (auto const* own = std::get_if<Opaque>(&part)) append_own(*own);
    }
    close();
  }

  void append_own(Opaque const& block) {
    next_element(out_);
    out_ += block.body.str();
  }

  void assistant(Message const& message) {
    flush_images();
    if (!knows_model_ && message.generation) model_ = message.generation->model;
    open("model");
    for (Part const& part : message.parts) {
      if (auto const* words = std::get_if<Text>(&part)) {
        text(words->text);
        signature(words->signature);
      }
      auto const* thinking = std::get_if<Thinking>(&part);
      if (thinking && !thinking->redacted) {
        text(thinking->text);
        out_ += R"(,"thought":true)";
        signature(thinking->signature);
      }
      if (auto const* use = std::get_if<ToolUse>(&part)) call(*use);
      if (auto const* own = std::get_if<Opaque>(&part)) append_own(*own);
    }
    close();
  }

  void call(ToolUse const& use) {
    names_[use.id] = use.name;
    next_element(out_);
    append_json_string(out_ += R"({"functionCall":{"name":)", use.name);
    ((out_ += R"(,"args":)") += use.input.str()) += '}';
    signature(use.signature);
  }

  void results(Message const& message) {
    for (Part const& part : message.parts) {
      auto const* answer = std::get_if<ToolResult>(&part);
      if (!answer) continue;
      if (in_results_)
        out_.resize(out_.size() - 2); // the end of the previous content
      else
        open("user");
      result(*answer);
      out_ += "]}";
      in_results_ = true;
    }
  }

  void result(ToolResult const& result) {
    auto const called = names_.find(result.tool_use_id);
    next_element(out_);
    append_json_string(out_ += R"({"functionResponse":{"name":)",
                       called != names_.end() ? called->second : std::string_view(result.tool_name));
    out_ += result.is_error ? R"(,"response":{"error":)" : R"(,"response":{"output":)";
    output(result);
    out_ += '}';
    nested_images(result);
    out_ += "}}";
  }

  // One text is written as a string, several as an array.
  void output(ToolResult const& result) {
    std::size_t const begin = out_.size();
    std::size_t texts = 0, images = 0;
    out_ += '[';
    for (ToolContent const& piece : result.content) {
      if (std::holds_alternative<Image>(piece)) ++images;
      auto const* words = std::get_if<Text>(&piece);
      if (!words) continue;
      next_element(out_);
      append_json_string(out_, words->text);
      ++texts;
    }
    if (texts > 1) {
      out_ += ']';
    } else {
      out_.erase(begin, 1);
      if (texts == 0) append_json_string(out_, images != 0 ? detail::images_follow_text : std::string_view{});
    }
  }

  void nested_images(ToolResult const& result) {
    bool const nests = !detail::is_old_gemini(model_);
    bool nested = false;
    for (ToolContent const& piece : result.content) {
      auto const* picture = std::get_if<Image>(&piece);
      if (!picture) continue;
      if (!nests || !fits_in_gemini_result(*picture)) {
        images_.push_back(picture);
        continue;
      }
      if (!nested) out_ += R"(,"parts":[)";
      nested = true;
      image(*picture);
    }
    if (nested) out_ += ']';
  }

  std::string& out_;
  std::string_view model_;
  bool knows_model_ = false;
  std::size_t begin_ = 0; ///< where the open content begins
  bool in_results_ = false;
  std::unordered_map<std::string_view, std::string_view> names_; ///< tools of the calls so far, by call id
  std::vector<Image const*> images_; ///< images of results; they wait for the end of the results
};

}}

namespace detail {

void encode_gemini(History const& history, Target const& target, RequestParts& out) {
  if (!history.system.empty()) {
    detail::append_json_string(out.system = R"({"parts":[{"text":)", history.system);
    out.system += "}]}";
  }
  provider_gemini_inl::GeminiEncoder encoder(out.messages, target);
  for (Message const& message : history.messages) encoder.add(message);
  encoder.flush_images();
}

}

}}
