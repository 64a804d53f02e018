// SPDX-License-Identifier: MIT
#pragma once
/// The definitions of the stores of files, which need those of src_core.hpp: in the same .cpp, or in one of
/// its own. Needs {fmt}.
#include <sessionkit/detail/file_store/src.hpp>
