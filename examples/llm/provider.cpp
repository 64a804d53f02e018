// SPDX-License-Identifier: MIT
#include "provider.hpp"

namespace llm {

char const* to_string(FailureKind kind) noexcept {
  switch (kind) {
  case FailureKind::cancelled: return "cancelled";
  case FailureKind::refused: return "refused";
  case FailureKind::context_exceeded: return "context_exceeded";
  case FailureKind::unauthorized: return "unauthorized";
  case FailureKind::rate_limited: return "rate_limited";
  case FailureKind::overloaded: return "overloaded";
  case FailureKind::unavailable: return "unavailable";
  case FailureKind::cut: return "cut";
  case FailureKind::malformed: return "malformed";
  }
  return "unknown";
}

}
