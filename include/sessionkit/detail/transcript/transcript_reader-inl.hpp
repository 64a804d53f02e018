// SPDX-License-Identifier: MIT
// Opens a transcript for reading by its path or descriptor.
#pragma once
#include <sessionkit/detail/base/make_error.hpp>
#include <sessionkit/detail/transcript/verify.hpp>

namespace sessionkit { inline namespace v0 {

struct TranscriptReader::State {
  detail::OpenFile file; // empty: the descriptor is the caller's
  detail::FileReader log;
};

TranscriptReader::TranscriptReader(std::unique_ptr<State> state) noexcept : state_(std::move(state)) {}
TranscriptReader::TranscriptReader(TranscriptReader&&) noexcept = default;
TranscriptReader& TranscriptReader::operator=(TranscriptReader&&) noexcept = default;
TranscriptReader::~TranscriptReader() = default;

SESSIONKIT_SELDOM Result<TranscriptReader> TranscriptReader::open(std::string const& path,
                                                                  ReaderOptions options) {
  detail::FileOps& ops = detail::system_file_ops();
  Result<detail::OpenFile> file =
      detail::open_for_reading(ops, detail::working_directory, path.c_str(), true, path);
  if (!file) return file.error();
  detail::FileReader log(ops, file->get(), path, options);
  if (auto r = log.detect(); !r) return r.error();
  return TranscriptReader(std::make_unique<State>(State{std::move(*file), std::move(log)}));
}

Result<TranscriptReader> TranscriptReader::from_descriptor(int descriptor, std::string path,
                                                           ReaderOptions options) {
  detail::FileReader log(detail::system_file_ops(), descriptor, std::move(path), options);
  Result<detail::FileStatus> const status = log.status();
  if (!status) return status.error();
  if (status->kind != detail::FileStatus::regular)
    return detail::make_error(Errc::unsafe_path, "{}: not a regular file; give a descriptor of one",
                              log.path());
  if (auto r = log.detect(); !r) return r.error();
  return TranscriptReader(std::make_unique<State>(State{detail::OpenFile{}, std::move(log)}));
}

Result<RecordPage> TranscriptReader::read(ReadRange const& range) { return state_->log.read(range); }
Dialect const& TranscriptReader::dialect() const noexcept { return state_->log.dialect(); }
Result<std::vector<Damage>>
TranscriptReader::verify(std::function<void(std::uint64_t, std::uint64_t)> const& progress,
                         UnknownLines* unknown) {
  return detail::verify_transcript(state_->log, progress, unknown);
}
std::string const& TranscriptReader::path() const noexcept { return state_->log.path(); }

}}
