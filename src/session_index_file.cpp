// SPDX-License-Identifier: MIT
#include <sessionkit/impl/session_index_file.ipp>
