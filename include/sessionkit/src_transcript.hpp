// SPDX-License-Identifier: MIT
#pragma once
/// The definitions for reading, writing and verifying transcripts. They need src_core.hpp, which may be in
/// the same .cpp or in another.
#include <sessionkit/detail/transcript/src.hpp>
