// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/message.hpp>

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 {

/// Counts the tokens of one message. The estimators of this library are approximate; a host may use an exact
/// tokenizer instead.
using TokenEstimator = std::function<std::size_t(Message const&)>;

/// The number of tokens for which each image counts, whatever its size.
inline constexpr std::size_t image_tokens = 1200;

/// Returns the default estimate for text. An ASCII character counts as a quarter of a token, and any other
/// code point as two tokens. The sum is rounded up.
SESSIONKIT_API std::size_t estimate_tokens(std::string_view text) noexcept;

/// Returns the default estimate for a message: the estimates for its text, thinking, tool names, arguments
/// and results, plus `image_tokens` for each image.
SESSIONKIT_API std::size_t estimate_tokens(Message const& message);

/// The estimator of one program.
struct Estimator {
  std::string_view name; ///< the name, in static storage
  /// Counts the tokens of a text.
  std::size_t (*text)(std::string_view) noexcept;
  /// Counts the tokens of a message: its texts by the formula of `text`, and `image_tokens` for each image.
  /// For `pi`, an image that is not within a result counts 0. `default` rounds the number for each text; the
  /// other estimators round only the sum.
  std::size_t (*message)(Message const&);
};

/// Returns the estimator of this name, or null. The names are `default`, `pi`, `aipanel_seed`,
/// `aipanel_real`, `aipanel_comment`, `blades_seed`, `blades_intended`, `blades_v05`, `zeroclaw_fork`,
/// `zeroclaw_main` and `claw0_v2`. docs/compaction.md has the formulas. `pi` counts a quarter of a token for
/// each UTF-16 unit.
SESSIONKIT_API Estimator const* find_estimator(std::string_view name) noexcept;

/// Counts the tokens of a conversation. The result is the provider's own count in the last assistant message
/// that has one, plus estimates of the later messages. The count of an aborted or failed message is not used.
/// If no message has a count, all messages are estimated.
SESSIONKIT_API std::size_t count_tokens(std::vector<Message> const& messages,
                                        TokenEstimator const& estimator = {});

}}
