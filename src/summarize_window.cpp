// SPDX-License-Identifier: MIT
#include <sessionkit/impl/summarize_window.ipp>
