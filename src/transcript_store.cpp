// SPDX-License-Identifier: MIT
#include <sessionkit/detail/file_store/transcript_store-inl.hpp>
