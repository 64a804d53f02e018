// SPDX-License-Identifier: MIT
#include <sessionkit/impl/transcript_rewrite.ipp>
