// SPDX-License-Identifier: MIT
// Conversations in files that are changed at random; those in databases are in mutations_sqlite_test.cpp.
#include "mutations.hpp"
#include "support/exports.hpp"

#include <filesystem>

using namespace import_mutations;
namespace fs = std::filesystem;

namespace {

std::string string_of(Json const& object, char const* member) {
  if (!object.is_object()) return {};
  auto const found = object.find(member);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

// A line of a log, without what the reader strips.
struct Line {
  std::size_t offset = 0, number = 0;
  std::string bare = {};
  bool whole = false;
  Json json = {}; ///< of a whole line
};

std::vector<Line> lines_of(std::string const& bytes) {
  std::vector<Line> found;
  std::size_t at = 0, number = 0;
  for (std::string const& text : split_lines(bytes)) {
    Line line;
    bool const marked = at == 0 && text.compare(0, 3, "\xEF\xBB\xBF") == 0;
    line.offset = at + (marked ? 3U : 0U);
    line.number = number++;
    line.bare = bare_line(text, at == 0);
    line.whole = is_object_to_others(line.bare);
    at += text.size() + 1;
    if (line.whole) line.json = Json::parse(line.bare, nullptr, false);
    if (line.whole && line.json.is_discarded())
      line.json = Json::parse(oracle::fix(line.bare).text, nullptr, false);
    if (!line.bare.empty()) found.push_back(std::move(line));
  }
  return found;
}

std::string canonical(Json const& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Survey damage_of(std::vector<Line> const& lines) {
  Survey survey;
  for (Line const& line : lines)
    if (!line.whole) survey.damaged.push_back({line.offset, {}});
  return survey;
}

// Of records with one id only those are expected that all say the same.
class Named {
 public:
  void add(std::string const& id, std::string const& bytes) { said_[id].insert(bytes); }
  bool once(std::string const& id) const { return said_.at(id).size() == 1; }

 private:
  std::map<std::string, std::set<std::string>> said_;
};

// ---- programs whose conversation is one file

class OneFile : public Program {
 public:
  OneFile(std::string name, sk::Importer const& importer) : Program(std::move(name), importer) {
    for (ForeignFixture const& fixture : foreign_fixtures())
      if (fixture.importer == &importer)
        subjects_.push_back({fixture.name(), files_with(fixture, fixture.bytes()), fixture.file});
  }

  Changed changed(Subject const& subject, Kind kind, ForeignMutator& mutator) const override {
    Files files = subject.files;
    std::string name = subject.file;
    if (files.size() > 1 && mutator.random().one_in(4)) // one that it may name
      name =
          std::next(files.begin(), static_cast<std::ptrdiff_t>(mutator.random().below(files.size())))->first;
    std::string& bytes = files[name];
    bool const is_log = name.back() == 'l';
    switch (kind) {
    case Kind::bytes: bytes = mutator.bytes_changed(std::move(bytes)); break;
    case Kind::lines: bytes = mutator.lines_changed(bytes); break;
    case Kind::members: bytes = mutator.members_changed(bytes, is_log); break;
    case Kind::names: bytes = mutator.names_changed(bytes, is_log); break;
    case Kind::records: bytes = records_changed(bytes, is_log, mutator.random()); break;
    case Kind::while_read:
    case Kind::on_disk: break;
    }
    return {std::move(files)};
  }

 protected:
  // A record that is there twice, with the same id and other content.
  virtual std::string records_changed(std::string const& bytes, bool is_log, Random& random) const {
    std::vector<Json> records = ForeignMutator::records_of(bytes, is_log);
    std::vector<Json>* list = &records;
    for (char const* name : {"messages", "steps", "history"})
      if (Json& document = records[0]; !is_log && document.is_object() && document.contains(name))
        if (auto* const elements = document[name].get_ptr<Json::array_t*>()) list = elements;
    if (list->empty()) return bytes;
    Json again = (*list)[random.below(list->size())];
    if (!again.is_object()) return bytes;
    again["again"] = true;
    again["content"] = "another content";
    again["timestamp"] = nullptr;
    list->insert(list->begin() + static_cast<std::ptrdiff_t>(random.below(list->size() + 1)),
                 std::move(again));
    return ForeignMutator::text_of(records, is_log);
  }
};

class ClaudeCode final : public OneFile {
 public:
  ClaudeCode() : OneFile("Claude Code", sk::claude_code_importer()) {}

  std::optional<Survey> survey(Subject const& subject, Files const& files) const override {
    std::vector<Line> const lines = lines_of(files.at(subject.file));
    Survey survey = damage_of(lines);
    Named named;
    bool has_main = false;
    for (Line const& line : lines) {
      named.add(string_of(line.json, "uuid"), canonical(line.json));
      has_main = has_main || (!string_of(line.json, "uuid").empty() && !is_side(line.json));
    }
    for (Line const& line : lines) {
      std::string const uuid = string_of(line.json, "uuid");
      bool const left_out = has_main && is_side(line.json); // lines of a subagent in the session's own file
      if (!uuid.empty() && named.once(uuid) && !left_out)
        survey.records.push_back({uuid, canonical(line.json)});
    }
    return survey;
  }

 private:
  static bool is_side(Json const& line) {
    return !string_of(line, "uuid").empty() && line.contains("isSidechain") && line["isSidechain"] == true;
  }
};

class Codex final : public OneFile {
 public:
  Codex() : OneFile("Codex", sk::codex_importer()) {}

  // An entry is named after the number of its line.
  std::optional<Survey> survey(Subject const& subject, Files const& files) const override {
    std::vector<Line> const lines = lines_of(files.at(subject.file));
    Survey survey = damage_of(lines);
    for (Line const& line : lines) {
      std::string const type = string_of(line.json, "type");
      if (type != "response_item" && type != "compacted") continue;
      char id[16];
      std::snprintf(id, sizeof id, "%08zx", line.number);
      survey.records.push_back({id, canonical(line.json)});
    }
    return survey;
  }

 protected:
  // A fork of itself, of another one, of a file outside the root, or of none.
  std::string records_changed(std::string const& bytes, bool is_log, Random& random) const override {
    std::vector<Json> records = ForeignMutator::records_of(bytes, is_log);
    if (random.one_in(3)) return OneFile::records_changed(bytes, is_log, random);
    Json& first = records.front();
    if (!first.is_object() || !first["payload"].is_object()) return bytes;
    std::string base = random.one_of({"../../../../etc/passwd", "/etc/passwd", "", "..", "x", "own"});
    if (base == "own" || random.one_in(2)) base = string_of(first["payload"], "id");
    first["payload"]["history_base"] = {{"thread_id", base}, {"end_ordinal_exclusive", random.below(200)}};
    return ForeignMutator::text_of(records, is_log);
  }
};

std::string first_text(Json const& content) {
  if (content.is_string()) return content.get<std::string>();
  if (content.is_array())
    for (Json const& piece : content)
      if (std::string text = string_of(piece, "text"); !text.empty()) return text;
  return {};
}

// Where the JSON object ends that begins at `begin`; `begin` if none does.
std::size_t object_end(std::string const& bytes, std::size_t begin) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t at = begin; at < bytes.size(); ++at) {
    char const c = bytes[at];
    if (in_string && c == '\\')
      ++at;
    else if (c == '"')
      in_string = !in_string;
    else if (!in_string && c == '{')
      ++depth;
    else if (!in_string && c == '}' && --depth == 0)
      return is_object_to_others(bytes.substr(begin, at + 1 - begin)) ? at + 1 : begin;
  }
  return begin;
}

// Whether damage made a longer element of an earlier one and what is at `at`.
bool is_in_another(std::string const& bytes, std::size_t at) {
  for (std::size_t begin = bytes.find("\n    {"); begin < at; begin = bytes.find("\n    {", begin + 1))
    if (object_end(bytes, begin + 5) > at) return true;
  return false;
}

// The elements of a document's list that are in other bytes as they were. Documents have an element's lines
// to themselves, so that a damaged line is in one element.
std::vector<Json> whole_elements(std::string const& document, char const* list, std::string const& bytes) {
  std::vector<Json> whole;
  auto const parsed = nlohmann::ordered_json::parse(document);
  for (auto const& element : parsed[list]) {
    std::string block = "\n    ";
    for (char const c : element.dump(2)) block += c == '\n' ? "\n    " : std::string(1, c);
    std::size_t const at = bytes.find(block);
    if (at != std::string::npos && bytes.find_first_of(",\n", at + block.size()) == at + block.size()
        && !is_in_another(bytes, at))
      whole.push_back(Json::parse(element.dump()));
  }
  return whole;
}

class GeminiCli final : public OneFile {
 public:
  GeminiCli() : OneFile("Gemini CLI", sk::gemini_cli_importer()) {}

  std::optional<Survey> survey(Subject const& subject, Files const& files) const override {
    std::string const& bytes = files.at(subject.file);
    if (subject.file.back() != 'l') return of_document(subject, bytes);
    std::vector<Line> const lines = lines_of(bytes);
    std::size_t good = 0, first = 0;
    for (; first < std::min<std::size_t>(20, lines.size()); ++first) good += lines[first].whole ? 1U : 0U;
    if (2 * good <= first + 1 || lines.size() < 2)
      return std::nullopt; // it may as well be a damaged document
    Survey survey = damage_of(lines);
    std::vector<Json const*> records;
    for (Line const& line : lines) records.push_back(&line.json);
    add_messages(records, survey);
    return survey;
  }

 private:
  static void add_messages(std::vector<Json const*> const& records, Survey& survey) {
    Named named;
    std::vector<Json const*> messages;
    auto const add = [&](Json const& one) {
      if (string_of(one, "id").empty() || string_of(one, "type").empty()) return;
      named.add(string_of(one, "id"), canonical(one));
      messages.push_back(&one);
    };
    auto const add_all = [&](Json const& holder) {
      if (holder.is_object() && holder.contains("messages") && holder["messages"].is_array())
        for (Json const& one : holder["messages"]) add(one);
    };
    for (Json const* record : records) {
      add(*record);
      add_all(*record);
      if (record->is_object() && record->contains("$set")) add_all((*record)["$set"]);
    }
    for (Json const* one : messages) {
      std::string const text = first_text(one->value("content", Json()));
      if (!text.empty() && named.once(string_of(*one, "id")))
        survey.records.push_back({text, canonical(*one)});
    }
  }

  // Of a damaged document, the messages whose text is as it was. Bytes that are not UTF-8 do not damage it.
  static std::optional<Survey> of_document(Subject const& subject, std::string const& bytes) {
    Survey survey;
    Json document = Json::parse(bytes, nullptr, false);
    if (document.is_discarded() && is_object_to_others(bytes))
      document = Json::parse(oracle::fix(bytes).text, nullptr, false);
    if (document.is_object()) {
      add_messages({&document}, survey);
      return survey;
    }
    document = {{"messages", whole_elements(subject.files.at(subject.file), "messages", bytes)}};
    add_messages({&document}, survey);
    survey.damaged.push_back({});
    return survey;
  }
};

// ---- opencode in files: one record each

class OpencodeFiles final : public Program {
 public:
  OpencodeFiles() : Program("opencode (files)", sk::opencode_importer()) {
    for (char const* scenario : {"tools", "compact", "killstream", "killtool", "image"}) {
      fs::path const root = data("interchange/opencode-1.1.53/") + scenario;
      Files files;
      std::vector<std::string> sessions;
      for (auto const& entry : fs::recursive_directory_iterator(root)) {
        std::string const name = entry.path().lexically_relative(root).generic_string();
        if (!entry.is_regular_file() || name.rfind("storage/", 0) != 0) continue;
        files[name] = read_file(entry.path().string());
        if (name.rfind("storage/session/", 0) == 0) sessions.push_back(name);
      }
      std::sort(sessions.begin(), sessions.end());
      for (std::string const& session : sessions)
        subjects_.push_back({scenario + ('/' + session), files, session});
    }
  }

  Changed changed(Subject const& subject, Kind kind, ForeignMutator& mutator) const override {
    Files files = subject.files;
    Random& random = mutator.random();
    auto const any = [&] {
      return std::next(files.begin(), static_cast<std::ptrdiff_t>(random.below(files.size())));
    };
    if (kind == Kind::while_read || kind == Kind::on_disk) return {std::move(files)};
    if (kind == Kind::names) return {names_changed(std::move(files), mutator)};
    for (std::size_t n = 1 + random.below(3); n > 0 && !files.empty(); --n) {
      auto const file = any();
      switch (kind) {
      case Kind::bytes: file->second = mutator.bytes_changed(std::move(file->second)); break;
      case Kind::lines: file->second = mutator.lines_changed(file->second); break;
      case Kind::members: file->second = mutator.members_changed(file->second, false); break;
      default: file_changed(files, file, any()->second, random); break;
      }
    }
    return {std::move(files)};
  }

  std::optional<Survey> survey(Subject const& subject, Files const& files) const override {
    Survey survey;
    auto const main = files.find(subject.file);
    if (main == files.end()) return std::nullopt;
    bool const whole_session = is_object_to_others(trimmed(main->second));
    if (!whole_session) survey.damaged.push_back({});
    std::string const session = whole_session ? string_of(Json::parse(main->second, nullptr, false), "id")
                                              : subject.file.substr(subject.file.rfind('/') + 1);
    std::string const messages = "storage/message/" + session.substr(0, session.find('.')) + '/';
    for (auto const& [name, bytes] : files) {
      if (name.rfind(messages, 0) != 0 || !is_document(name)) continue;
      if (!is_object_to_others(trimmed(bytes))) {
        survey.damaged.push_back({{}, name + ": "});
        continue;
      }
      std::string const id = fs::path(name).stem().string(), parts = "storage/part/" + id + '/';
      for (auto part = files.lower_bound(parts); part != files.end() && part->first.rfind(parts, 0) == 0;
           ++part) {
        if (!is_document(part->first)) continue;
        if (is_object_to_others(trimmed(part->second)))
          survey.records.push_back({fs::path(part->first).stem().string(), bytes + '\n' + part->second});
        else
          survey.damaged.push_back({{}, part->first + ": "});
      }
    }
    return survey;
  }

 private:
  static bool is_document(std::string const& name) {
    return name.size() > 5 && name.compare(name.size() - 5, 5, ".json") == 0;
  }

  static std::string trimmed(std::string text) {
    if (text.compare(0, 3, "\xEF\xBB\xBF") == 0) text.erase(0, 3);
    std::string const space(" \t\r\n\0", 5);
    std::size_t const begin = text.find_first_not_of(space);
    return begin == std::string::npos ? std::string{}
                                      : text.substr(begin, text.find_last_not_of(space) + 1 - begin);
  }

  // The names of all files' records, as if they were the lines of one log.
  static Files names_changed(Files files, ForeignMutator& mutator) {
    std::string all;
    for (auto const& file : files) all += canonical(Json::parse(file.second, nullptr, false)) + '\n';
    std::vector<std::string> const lines = split_lines(mutator.names_changed(all, true));
    std::size_t at = 0;
    for (auto& file : files) {
      std::string const before = canonical(Json::parse(file.second, nullptr, false));
      if (lines[at] != before) file.second = lines[at];
      ++at;
    }
    return files;
  }

  static void file_changed(Files& files, Files::iterator file, std::string const& other, Random& random) {
    switch (random.below(4)) {
    case 0: file->second = other; break;
    case 1: files.erase(file); break;
    case 2: { // the same record under another name
      std::string name = file->first;
      name.insert(name.size() - 5, "x");
      files[name] = std::string(file->second);
      break;
    }
    default: file->second.clear(); break;
    }
  }
};

// ---- ATIF: documents that we wrote of other programs' conversations

// A document with a list of records, indented, so that most damage is in one record.
class Document : public OneFile {
 public:
  Document(std::string name, sk::Importer const& importer, char const* list, char const* text)
      : OneFile(std::move(name), importer), list_(list), text_(text) {}

  std::optional<Survey> survey(Subject const& subject, Files const& files) const override {
    std::string const& bytes = files.at(subject.file);
    Json document = Json::parse(bytes, nullptr, false);
    if (!document.is_object() && is_object_to_others(bytes)) // what others read too is no damage
      document = Json::parse(oracle::fix(bytes).text, nullptr, false);
    Survey survey;
    if (!document.is_object()) {
      document = {{list_, whole_elements(subject.files.at(subject.file), list_, bytes)}};
      survey.damaged.push_back({});
    }
    if (!document.contains(list_) || !document[list_].is_array()) return std::nullopt;
    for (Json const& record : document[list_])
      if (std::string const text = first_text(record.is_object() ? record.value(text_, Json()) : Json());
          !text.empty())
        survey.records.push_back({text, canonical(record)});
    return survey;
  }

 protected:
  void add(std::string name, Files files, std::string file) {
    files[file] = nlohmann::ordered_json::parse(files[file]).dump(2) + '\n';
    subjects_.push_back({std::move(name), std::move(files), std::move(file)});
  }

 private:
  char const *list_, *text_; ///< the members
};

class Blades final : public Document {
 public:
  Blades() : Document("blades", sk::blades_importer(), "history", "text") {
    for (char const* name : {"text/trip.json", "tools/tools.json"}) {
      auto document = nlohmann::ordered_json::parse(read_file(data("interchange/blades-1/") + name));
      auto& messages = document["history"];
      for (std::size_t i = messages.size(); i-- > 0;)
        if (messages[i]["role"] == "narrator") messages.erase(i); // which is a finding
      add(name, {{"sessions/s.json", document.dump()}}, "sessions/s.json");
    }
  }

  // Only its first members and its version show that a document is one of blades.
  std::optional<Survey> survey(Subject const& subject, Files const& files) const override {
    std::string const& bytes = files.at(subject.file);
    bool const recognised = sk::blades_importer().recognises(subject.file, bytes);
    if (!recognised || bytes.find("\n  \"version\": 1\n") == std::string::npos) return std::nullopt;
    return Document::survey(subject, files);
  }
};

class Atif final : public Document {
 public:
  Atif() : Document("ATIF", sk::atif_importer(), "steps", "message") {
    for (StoredSession const& session : imported_sessions()) {
      if (subjects_.size() == 30) break;
      auto const exported = sk::export_session(sk::atif_exporter(), *session.store, session.id, {}).value();
      Files files;
      for (sk::ExportedFile const& file : exported.files) files[file.name] = file.content;
      add(session.name, std::move(files), exported.files.front().name);
    }
  }
};
}

TEST_CASE("changed conversations of Claude Code are read as far as they are good") { run(ClaudeCode()); }
TEST_CASE("changed conversations of Codex are read as far as they are good") { run(Codex()); }
TEST_CASE("changed conversations of Gemini CLI are read as far as they are good") { run(GeminiCli()); }
TEST_CASE("changed files of opencode are read as far as they are good") { run(OpencodeFiles()); }
TEST_CASE("changed trajectories of ATIF are read as far as they are good") { run(Atif()); }
TEST_CASE("changed documents of blades are read as far as they are good") { run(Blades()); }
