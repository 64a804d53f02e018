// SPDX-License-Identifier: MIT
#pragma once
/// Includes every function body of the room (folder) `file_store`.
#include <sessionkit/detail/file_store/directory_watch-inl.hpp>
#include <sessionkit/detail/file_store/file_store-inl.hpp>
#include <sessionkit/detail/file_store/foreign_folder-inl.hpp>
#include <sessionkit/detail/file_store/index_codec-inl.hpp>
#include <sessionkit/detail/file_store/index_files-inl.hpp>
#include <sessionkit/detail/file_store/index_journal-inl.hpp>
#include <sessionkit/detail/file_store/index_rows-inl.hpp>
#include <sessionkit/detail/file_store/index_state-inl.hpp>
#include <sessionkit/detail/file_store/newest_rows-inl.hpp>
#include <sessionkit/detail/file_store/store_index-inl.hpp>
#include <sessionkit/detail/file_store/time_proof-inl.hpp>
#include <sessionkit/detail/file_store/transcript_folder-inl.hpp>
#include <sessionkit/detail/file_store/transcript_store-inl.hpp>
#include <sessionkit/detail/file_store/writer_cache-inl.hpp>
