// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/message.hpp>

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

namespace sessionkit { inline namespace v0 {

/// Counts the tokens of one message. Estimates unless the host plugs in an exact tokenizer.
using TokenEstimator = std::function<std::size_t(Message const&)>;

/// The tokens that an image counts as, whatever its size.
inline constexpr std::size_t image_tokens = 1200;

/// The default for text: a quarter of a token per ASCII character, two per other code point, rounded up.
SESSIONKIT_API std::size_t estimate_tokens(std::string_view text) noexcept;

/// Text, thinking, tool names, arguments and results by `estimate_tokens`; images at `image_tokens`.
SESSIONKIT_API std::size_t estimate_tokens(Message const& message);

/// A way of estimating that some program is known for.
struct Estimator {
  std::string_view name; ///< static storage
  std::size_t (*text)(std::string_view) noexcept;
  /// The text of a message by the same formula; images at `image_tokens`. Rounded once a message.
  std::size_t (*message)(Message const&);
};

/// The estimator of this name, or null: `default`; `pi` (a quarter of the UTF-16 units; images of users count
/// nothing, as there); `aipanel_seed`, `aipanel_real`, `aipanel_comment`, `blades_seed`, `blades_intended`,
/// `blades_v05`, `zeroclaw_fork`, `zeroclaw_main`, `claw0_v2` (docs/compaction.md has the formulas).
SESSIONKIT_API Estimator const* find_estimator(std::string_view name) noexcept;

/// The tokens of a conversation: the provider's own count at the last assistant message that has one (and was
/// neither aborted nor failed), plus estimates of what follows it; without one, the sum of estimates.
SESSIONKIT_API std::size_t count_tokens(std::vector<Message> const& messages,
                                        TokenEstimator const& estimator = {});

}}
