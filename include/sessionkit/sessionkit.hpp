// SPDX-License-Identifier: MIT
#pragma once
/// Includes the core. It includes no database client and no JSON library.
#include <sessionkit/answer.hpp>
#include <sessionkit/branches.hpp>
#include <sessionkit/channel_log.hpp>
#include <sessionkit/copy.hpp>
#include <sessionkit/divergence.hpp>
#include <sessionkit/doctor.hpp>
#include <sessionkit/file_store.hpp>
#include <sessionkit/follow.hpp>
#include <sessionkit/freshness.hpp>
#include <sessionkit/lease.hpp>
#include <sessionkit/memory_store.hpp>
#include <sessionkit/retention.hpp>
#include <sessionkit/scoped_state.hpp>
#include <sessionkit/search.hpp>
#include <sessionkit/search_index.hpp>
#include <sessionkit/session.hpp>
#include <sessionkit/session_key.hpp>
#include <sessionkit/titles.hpp>
#include <sessionkit/transcript_reader.hpp>
#include <sessionkit/transcript_writer.hpp>
#include <sessionkit/trash.hpp>
#include <sessionkit/version.hpp>
