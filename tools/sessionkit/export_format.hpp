// SPDX-License-Identifier: MIT
#pragma once
#include "records.hpp"

#include <functional>
#include <memory>
#include <string_view>

namespace cli {

/// Receives the exported text.
using Sink = std::function<void(std::string_view)>;

/// Writes a conversation, an entry at a time. No text of a session can break out of its place in the page,
/// look like something else, load anything or run.
class ExportFormat {
 public:
  virtual ~ExportFormat() = default;
  ExportFormat(ExportFormat const&) = delete;
  ExportFormat& operator=(ExportFormat const&) = delete;

  virtual void begin(sessionkit::SessionInfo const& info) = 0;
  virtual void entry(Record const& record) = 0;
  virtual void end() = 0;

 protected:
  ExportFormat() = default;
};

/// `thinking`: include the model's reasoning.
std::unique_ptr<ExportFormat> make_markdown(Sink sink, bool thinking);
std::unique_ptr<ExportFormat> make_html(Sink sink, bool thinking);

/// The `data:` URI of an image; empty unless the log has its bytes and pages can show its type.
std::string data_uri(sessionkit::Image const& image);
/// The name of an image that is not shown.
std::string name_of(sessionkit::Image const& image);

}
