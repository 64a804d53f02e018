// SPDX-License-Identifier: MIT
// Stores of kinds that a profile does not name: what a process leaves that ends without closing, a home of
// agents with channel logs and a trash.
#pragma once
#include <sessionkit/session_store.hpp>

#include <memory>
#include <string>

namespace sessionkit_test {

/// A directory whose index lags behind: a snapshot, lines of a journal, and a transcript that is further than
/// both.
void write_journal_store(std::string const& folder);

/// `<home>/agents/main`: sessions, one of them in the trash, and two channel logs.
void write_agent_home(std::string const& home);
std::shared_ptr<sessionkit::SessionStore> open_agent_home(std::string const& home);
/// What its channel logs hold, in words.
std::string channels_of(std::string const& home);

/// Opens the first session of a kept store and continues it by a turn; throws unless the request before is a
/// prefix of the one after, and the turn is there when the session is opened again.
void continue_session(std::shared_ptr<sessionkit::SessionStore> const& store);

}
