// SPDX-License-Identifier: MIT
// The scanner against nlohmann: is this text JSON, and what are its values? Differences of policy have names.
#include "fuzz/fuzz.hpp"
#include "support/json_oracle.hpp"

#include <sessionkit/raw_json.hpp>

namespace {

// Torn or broken text: the finders only promise to stay inside it.
void look(std::string_view text) {
  using namespace sessionkit::detail;
  std::string out;
  for_members(text, [](auto, auto) { return true; });
  for_elements(text, [](auto) { return true; });
  find_member(text, "a");
  append_unescaped(out, text);
  to_int(text), to_uint(text), to_double(text), to_bool(text);
}

}

int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace sessionkit_fuzz;
  std::string const text = text_of(data, size);
  look(std::string_view(reinterpret_cast<char const*>(data), size)); // not a copy: nothing follows its end
  auto const verdict = sessionkit_test::oracle::compare(text);
  require(verdict != sessionkit_test::oracle::disagreement, "the scanner agrees with nlohmann", text);

  auto const kept = sessionkit::RawJson::from(text);
  require(sessionkit::detail::check_json(kept.str()) && sessionkit::detail::is_utf8(kept.str()),
          "RawJson::from gives JSON in UTF-8", kept.str());
  require(kept.str().find('\n') == std::string::npos, "RawJson is one line", kept.str());
  if (auto const parsed = sessionkit::RawJson::parse(text))
    require(*parsed == kept, "RawJson::parse and from agree on JSON", text);
  return 0;
}
