// SPDX-License-Identifier: MIT
#pragma once
#include "records.hpp"

#include <functional>
#include <memory>
#include <string_view>

namespace cli {

/// Where exported text goes.
using Sink = std::function<void(std::string_view)>;

/// Writes a conversation, an entry at a time. Nothing that was said can end its place in the page, show as
/// something else, load anything or run.
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

/// `thinking`: with the model's reasoning.
std::unique_ptr<ExportFormat> make_markdown(Sink sink, bool thinking);
std::unique_ptr<ExportFormat> make_html(Sink sink, bool thinking);

/// The `data:` URI of an image; empty unless it is one that pages show, with its bytes in it.
std::string data_uri(sessionkit::Image const& image);
/// What to call one that is not shown.
std::string name_of(sessionkit::Image const& image);

}
