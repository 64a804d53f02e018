// SPDX-License-Identifier: MIT
#include "provider.hpp"

namespace llm {

Event event_of(sessionkit::AnswerPiece const& piece) {
  std::string content(piece.content);
  switch (piece.kind) {
  case sessionkit::AnswerPiece::thinking: return ThinkingDelta{std::move(content)};
  case sessionkit::AnswerPiece::tool_use: return ToolUseBegin{std::string(piece.id), std::string(piece.name)};
  case sessionkit::AnswerPiece::tool_input: return ToolInputDelta{std::string(piece.id), std::move(content)};
  case sessionkit::AnswerPiece::text: break;
  }
  return TextDelta{std::move(content)};
}

}
