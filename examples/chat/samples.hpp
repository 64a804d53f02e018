// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <string_view>

namespace chat {

/// The tools' own folder, for its user alone, with a file in it to ask about; as it is where it is there.
/// Throws `std::filesystem::filesystem_error`, and as `write_file`.
void make_own_folder(std::string const& path);

/// A copy of a session that pi wrote; as it is where it is there. Throws the same.
void make_pi_session(std::string const& path);

/// Throws `std::runtime_error` if not all of it could be written.
void write_file(std::string const& path, std::string_view text);

}
