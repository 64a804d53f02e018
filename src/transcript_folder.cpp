// SPDX-License-Identifier: MIT
#include <sessionkit/detail/file_store/transcript_folder-inl.hpp>
