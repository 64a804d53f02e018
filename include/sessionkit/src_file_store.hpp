// SPDX-License-Identifier: MIT
#pragma once
/// The definitions of the stores of files. They need src_core.hpp and src_transcript.hpp, which may be
/// in the same .cpp or in another.
#include <sessionkit/detail/file_store/src.hpp>
