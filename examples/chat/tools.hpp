// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/message.hpp>

#include <filesystem>
#include <string>

namespace chat {

/// The one tool of this program: reads a file, but none outside its folder.
class ReadFile {
 public:
  explicit ReadFile(std::filesystem::path const& folder)
      : folder_(std::filesystem::weakly_canonical(folder)) {}

  /// Answers `call`; what goes wrong is an answer too, for the model to see.
  sessionkit::Message run(sessionkit::ToolUse const& call) const;

 private:
  std::filesystem::path folder_;
};

}
