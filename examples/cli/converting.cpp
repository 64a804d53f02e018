// SPDX-License-Identifier: MIT
// convert: a session in the lines of another program, as a new file.
#include "naming.hpp"
#include "text.hpp"

#include <sessionkit/blades.hpp>
#include <sessionkit/convert.hpp>
#include <sessionkit/profile.hpp>
#include <sessionkit/transcript_reader.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace cli {

namespace sk = sessionkit;
namespace fs = std::filesystem;

namespace {

struct Source {
  sk::Log log;
  sk::Dialect const* dialect;
  sk::SessionId id;
  std::string path;
};

sk::SessionId id_of_name(std::string const& path) {
  auto const id = sk::SessionId::parse(fs::path(path).stem().string());
  return id ? *id : sk::SessionId::parse("session").value();
}

/// A document that blades wrote, if the name says so and it is one.
std::optional<Source> open_document(std::string const& name) {
  if (fs::path(name).extension() != ".json") return std::nullopt;
  std::ifstream file(name, std::ios::binary);
  if (!file) throw system_failure(errno, fmt::format("cannot read '{}'", name));
  std::string const text{std::istreambuf_iterator<char>(file), {}};
  return Source{sk::import_blades(text).value(), &sk::native_dialect(), id_of_name(name), name};
}

Source open_source(Console& console, Arguments const& args) {
  if (auto document = open_document(*args.session)) return *std::move(document);
  auto const named = find_session(console, args, *args.session);
  auto reader = sk::TranscriptReader::open(named.path).value();
  return {sk::load_log(*named.store, named.id).value(), &reader.dialect(), named.id, named.path};
}

/// The format asked for, by its own name or by its program's.
std::string format_of(Arguments const& args) {
  if (args.to.has_value() == args.profile.has_value())
    throw Failure{Exit::usage, "invalid_argument",
                  args.to ? "--to and --profile both name a format" : "no format is named",
                  "give one: --to native, flat, panel or blades, or --profile"};
  if (args.to) return *args.to;
  if (*args.profile == sk::profiles::blades.name) return "blades";
  return std::string(sk::find_profile(*args.profile)->dialect);
}

std::string output_path(Arguments const& args, Source const& source, std::string const& format) {
  if (args.output) return *args.output;
  fs::path path(source.path);
  path.replace_extension(format == "blades" ? ".blades.json" : "." + format + ".jsonl");
  return path.string();
}

/// A new file, for its owner alone; what stands there already stays.
void write_new(std::string const& path, std::string const& text) {
  int const file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0 && errno == EEXIST)
    throw Failure{Exit::conflict, "already_exists", fmt::format("'{}' exists already", path),
                  "name another file: -o FILE"};
  if (file < 0) throw system_failure(errno, fmt::format("cannot write '{}'", path));
  std::size_t done = 0;
  int failed = 0;
  while (done < text.size() && failed == 0) {
    ssize_t const put = ::write(file, text.data() + done, text.size() - done);
    if (put > 0)
      done += static_cast<std::size_t>(put);
    else if (errno != EINTR)
      failed = put == 0 ? EIO : errno;
  }
  if (failed == 0 && ::fsync(file) != 0 && errno != EINVAL) failed = errno;
  if (::close(file) != 0 && failed == 0) failed = errno;
  if (failed == 0) return;
  ::unlink(path.c_str()); // ours, and of no use
  throw system_failure(failed, fmt::format("cannot write '{}'", path));
}

void list(Console& console, std::vector<sk::Unsaid> const& unsaid) {
  if (console.json()) {
    Json all = Json::array();
    for (auto const& one : unsaid)
      all.push_back({{"entry", one.entry.empty() ? Json() : Json(one.entry.str())}, {"what", one.what}});
    console.report_json(Json{{"unsaid", std::move(all)}});
    return;
  }
  for (auto const& one : unsaid)
    console.report(fmt::format("left out: {}{}", one.entry.empty() ? "" : one_line(one.entry.str()) + ": ",
                               one_line(one.what)));
}

}

Exit convert(Console& console, Arguments const& args) {
  auto const format = format_of(args);
  auto const source = open_source(console, args);
  auto const* const to = sk::find_dialect(format);
  auto const converted = to ? sk::convert_log(source.log, *source.dialect, *to, source.id).value()
                            : sk::export_blades(source.log, source.id);
  auto const path = output_path(args, source, format);
  write_new(path, converted.text);
  if (console.json())
    console.document({{"file", path}, {"unsaid", converted.unsaid.size()}});
  else
    console.write(path + "\n");
  if (!converted.unsaid.empty()) list(console, converted.unsaid);
  return converted.unsaid.empty() ? Exit::ok : Exit::damage;
}

}
