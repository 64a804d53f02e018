// SPDX-License-Identifier: MIT

// [core]
#include <sessionkit/src_core.hpp>
#include <sessionkit/src_file_store.hpp>
#include <sessionkit/src_history.hpp>
#include <sessionkit/src_session.hpp>
#include <sessionkit/src_transcript.hpp>
// [core]
