// SPDX-License-Identifier: MIT
#pragma once
#include "tool.hpp"

#include <sessionkit/result.hpp>

#include <string>
#include <vector>

namespace agent {

/// `read_file`, `list_dir` and `write_file`, for one folder and everything below it: each path is walked from
/// there, part by part, and a part that is `..` or a symbolic link ends the walk. `io_error` if there is no
/// such folder.
sessionkit::Result<std::vector<Tool>> make_folder_tools(std::string const& folder);

}
