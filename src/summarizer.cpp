// SPDX-License-Identifier: MIT
#include <sessionkit/impl/summarizer.ipp>
