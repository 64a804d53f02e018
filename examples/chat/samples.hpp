// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <string_view>

namespace chat {

/// Creates the tools' folder, accessible to its user only, with a file to ask about; an existing folder stays
/// unchanged. Throws `std::filesystem::filesystem_error`, and like `write_file`.
void make_own_folder(std::string const& path);

/// Copies a session that pi wrote; an existing copy stays unchanged. Throws the same.
void make_pi_session(std::string const& path);

/// Throws `std::runtime_error` if not all of it could be written.
void write_file(std::string const& path, std::string_view text);

}
