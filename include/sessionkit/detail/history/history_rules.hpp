// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/detail/dialects/content.hpp>
#include <sessionkit/history.hpp>

#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// How `valid` rebuilds: the context is cut into pieces, rules change or drop pieces one by one (part rules),
// then the pieces are paired, named and laid out as messages (structural rules). docs/history.md lists the
// rules by name.

namespace sessionkit { inline namespace v0 { namespace detail {

inline constexpr std::string_view missing_result_text = "[tool result missing: interrupted]";
inline constexpr std::string_view no_output_text = "[no output]";
inline constexpr std::string_view no_image_text = "[image not sent]";
inline constexpr std::string_view no_beginning_text = "[earlier conversation not available]";
inline constexpr std::string_view summary_only_text = "[earlier conversation summarised]";

/// Which images a provider takes.
enum class ImageFormats {
  any,
  web,   ///< PNG, JPEG, GIF and WebP, or what stands at an http address
  gemini ///< PNG, JPEG, WebP, HEIC and HEIF, also at an https address if the type is told
};

/// What a provider demands of the parts of a message; one constant each.
struct ProviderRules {
  enum Thinking { never, with_signature, always };
  std::string_view api = {};    ///< `Generation::api` whose signatures count
  std::string_view vendor = {}; ///< `Generation::provider` of the same, where the api is not known
  Thinking thinking = always;
  /// Whether the provider could have made this signature; null: any text will do.
  bool (*signs_thinking)(sessionkit::Thinking const& thinking) = nullptr;
  bool (*signs_text)(std::string_view signature) = nullptr; ///< the same for texts; null: they are not sent
  bool (*signs_call)(std::string_view signature) = nullptr; ///< and for calls
  bool first_call_signed = false;                           ///< of each group, but for old models
  bool reasoning_items = false;             ///< reasoning has an id and goes with what follows it
  std::size_t id_limit = 0, name_limit = 0; ///< bytes of [a-zA-Z0-9_-]; 0: any text will do
  char id_end = '\0';                       ///< what stands behind it in an id is not the provider's
  std::string_view name_extra = {};         ///< other bytes that names may have
  bool name_starts_with_letter = false;     ///< or with `_`
  bool summary_in_system = false;
  bool empty_results = true; ///< a tool result may have no content
  ImageFormats images = ImageFormats::any;
  bool object_inputs = false; ///< the arguments of a call must be an object
};
ProviderRules const& rules_of(Provider provider) noexcept;

inline constexpr std::uint32_t no_piece = std::numeric_limits<std::uint32_t>::max();

/// What a piece is to the rules: said and thought are the assistant's text and reasoning.
enum class Slot : std::uint8_t { user, said, thought, call, result };

/// One part on its way into the history.
struct Piece {
  Part const* part = nullptr; ///< null: it has left the view
  std::uint32_t source = 0;
  std::uint32_t link = no_piece; ///< call and result of each other
  Slot slot = Slot::user;
  bool late = false;               ///< a result that an earlier request had to do without
  std::string const* id = nullptr; ///< of a call: what it is called in the view; null: as stored
};

/// Where pieces come from: one entry that says something.
struct Source {
  Entry const* entry;
  std::size_t index; ///< in `Context::entries`
  Role role;
  Message const* message; ///< null: made of an entry of another kind
};

/// A message of the view: a range of `Draft::order`.
struct Span {
  Role role;
  std::size_t begin, end;
};

/// What another source says in a piece, too.
struct JoinedSource {
  std::uint32_t piece, source;
};

/// The work piece of a rebuild. Parts are borrowed from the context until they are copied into the history.
struct Draft {
  Context const& context;
  Target const& target;
  ProviderRules const& rules;
  bool consumed = false; ///< nobody needs the context any more: parts may be moved out of it

  std::vector<Source> sources = {};
  std::vector<Piece> pieces = {}; ///< in log order, then the made ones
  std::size_t logged = 0;         ///< how many of them are in log order
  std::vector<std::uint32_t> order = {};
  std::vector<Span> messages = {};
  std::vector<JoinedSource> joined = {}; ///< by piece
  std::deque<Part> made = {};
  std::deque<std::string> ids = {};
  std::vector<std::string> system = {};
  std::vector<Repair> report = {};

  Part const* keep(Part part) { return &made.emplace_back(std::move(part)); }
  EntryId const& entry_of(Piece const& piece) const { return sources[piece.source].entry->id; }
  ToolUse const& call(std::uint32_t piece) const { return std::get<ToolUse>(*pieces[piece].part); }
  std::string const& call_id(std::uint32_t piece) const {
    return pieces[piece].id ? *pieces[piece].id : call(piece).id;
  }
  void note(EntryId const& entry, std::string_view rule, std::string before, std::string after = {},
            bool retroactive = false) {
    report.push_back({entry, rule, std::move(before), std::move(after), retroactive});
  }
  /// Takes a piece out of the view and says so.
  void drop(Piece& piece, std::string_view rule);
};

/// What stands as the content of a message where it is neither text nor parts, as the dialects keep it.
std::string odd_content(Entry const& entry, Message const& message);

/// A few words that tell a person which part this is.
std::string brief(Part const& part);
std::string brief(std::string_view text);

/// Whether the provider's own count stands behind this message, and the count is of a whole request.
bool has_usable_count(Message const& message) noexcept;

/// JSON that any reader takes: lone surrogates and bytes that are no UTF-8 as U+FFFD, numbers that no double
/// can hold as null. Nothing where it is so already.
std::optional<std::string> mended_json(std::string const& json);

/// Adds one part of an entry as a piece, changed by the part rules, unless they drop it.
void add_piece(Draft& draft, Part const& part);

/// What ids and names of tools are made of, for all providers.
constexpr bool is_name_byte(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

/// Which entries hold a call and its result, as `valid` histories pair them: indices in `Context::entries`.
std::vector<std::pair<std::size_t, std::size_t>> paired_entries(Context const& context);

/// The rules that look at more than one piece, in the order in which they apply.
struct StructuralRule {
  std::string_view name;
  void (*apply)(Draft& draft, std::string_view name);
};
void drop_repeated_thinking(Draft& draft, std::string_view name);
void drop_unfollowed_thinking(Draft& draft, std::string_view name);
void sign_first_calls(Draft& draft, std::string_view name);
/// Runs all of them: pieces become messages.
void apply_structural_rules(Draft& draft);

}}}
