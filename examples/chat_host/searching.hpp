// SPDX-License-Identifier: MIT
#pragma once
#include <sessionkit/entry.hpp>
#include <sessionkit/session_info.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace chat_host {

/// A text to look for in everything that was said.
struct SearchRequest {
  std::string text = {};   ///< must not be empty
  std::size_t limit = 20;  ///< stop after the session that has this many hits
  std::string cursor = {}; ///< `SearchPage::next` of the page before
};

/// One message that contains the text.
struct Hit {
  sessionkit::SessionInfo info; ///< of its session
  sessionkit::EntryId entry = {};
  sessionkit::Role role = sessionkit::Role::user;
  sessionkit::Timestamp at = {};
  std::string before = {}, match = {}, after = {}; ///< the words around it
};

struct SearchPage {
  std::vector<Hit> hits = {}; ///< of the newest session first, and of its newest message first
  std::string next = {};      ///< empty if everything was searched
};

/// The messages of a person or of the model that contain the text, ignoring case, newest first; at most
/// `most`. `folded` is the text in small letters (`fold_case`).
std::vector<Hit> hits_in(sessionkit::SessionInfo const& info, std::vector<sessionkit::Entry> const& entries,
                         std::string_view folded, std::size_t most);

}
