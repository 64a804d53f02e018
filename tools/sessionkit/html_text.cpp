// SPDX-License-Identifier: MIT
// Turns text and Markdown into elements of a page that no text can leave.
#include "html_text.hpp"

#include <sessionkit/search.hpp>

#include <fmt/format.h>

#include <common/text.hpp>

#ifdef CLI_HAS_MD4C
#include <algorithm>
#include <vector>

#include <md4c.h>
#endif

namespace cli {

namespace {

void append_escaped(std::string& out, std::string_view text) {
  for (char const c : text) switch (c) {
    case '&': out += "&amp;"; break;
    case '<': out += "&lt;"; break;
    case '>': out += "&gt;"; break;
    case '"': out += "&quot;"; break;
    case '\'': out += "&#39;"; break;
    default: out += c;
    }
}

std::string as_characters(std::string_view safe) {
  std::string out = R"(<div class="text" dir="auto">)";
  append_escaped(out, safe);
  return out + "</div>\n";
}

#ifdef CLI_HAS_MD4C

/// The address as Markdown spells it; empty if it is none that a page of strangers' text may link to.
std::string address_of(MD_ATTRIBUTE const& attribute) {
  std::string address(attribute.text, attribute.size);
  for (std::size_t at = 0; (at = address.find("&amp;", at)) != std::string::npos; ++at)
    address.erase(at + 1, 4);
  auto const small = sessionkit::fold_case(address);
  for (std::string_view const scheme : {"https://", "http://", "mailto:"})
    if (small.compare(0, scheme.size(), scheme) == 0) return address;
  return {};
}

/// Receives the events of the parser, and writes elements.
class Writer {
 public:
  std::string out = "<div class=\"markdown\" dir=\"auto\">\n";

  void enter(MD_BLOCKTYPE type, void* detail) {
    switch (type) {
    case MD_BLOCK_UL: out += "<ul>\n"; break;
    case MD_BLOCK_OL:
      out += fmt::format("<ol start=\"{}\">\n", static_cast<MD_BLOCK_OL_DETAIL*>(detail)->start);
      break;
    case MD_BLOCK_LI: begin_item(*static_cast<MD_BLOCK_LI_DETAIL*>(detail)); break;
    case MD_BLOCK_HR: out += "<hr>\n"; break;
    case MD_BLOCK_H: out += fmt::format("<h{}>", level_of(detail)); break;
    case MD_BLOCK_CODE: begin_code(*static_cast<MD_BLOCK_CODE_DETAIL*>(detail)); break;
    case MD_BLOCK_TH:
    case MD_BLOCK_TD: out += fmt::format("<{}>", name_of(type)); break;
    default:
      if (auto const* const name = name_of(type)) out += fmt::format("<{}>", name);
    }
  }

  void leave(MD_BLOCKTYPE type, void* detail) {
    switch (type) {
    case MD_BLOCK_UL: out += "</ul>\n"; break;
    case MD_BLOCK_OL: out += "</ol>\n"; break;
    case MD_BLOCK_LI: out += "</li>\n"; break;
    case MD_BLOCK_H: out += fmt::format("</h{}>\n", level_of(detail)); break;
    case MD_BLOCK_CODE: end_code(); break;
    default:
      if (auto const* const name = name_of(type)) out += fmt::format("</{}>\n", name);
    }
  }

  void enter(MD_SPANTYPE type, void* detail) {
    if (type == MD_SPAN_A) return begin_link(address_of(static_cast<MD_SPAN_A_DETAIL*>(detail)->href));
    if (type == MD_SPAN_IMG) return begin_picture(address_of(static_cast<MD_SPAN_IMG_DETAIL*>(detail)->src));
    if (auto const* const name = name_of(type)) out += fmt::format("<{}>", name);
  }

  void leave(MD_SPANTYPE type) {
    if (type == MD_SPAN_IMG) out += "]";
    if (type == MD_SPAN_A || type == MD_SPAN_IMG) return end_link();
    if (auto const* const name = name_of(type)) out += fmt::format("</{}>", name);
  }

  void text(MD_TEXTTYPE type, std::string_view text) {
    if (is_code_)
      code_ += text;
    else if (type == MD_TEXT_BR || type == MD_TEXT_SOFTBR)
      out += "<br>\n"; // people mean the ends of their lines
    else
      append_escaped(out, text);
  }

 private:
  static unsigned level_of(void* detail) { // below the headings of the page
    return std::min(static_cast<MD_BLOCK_H_DETAIL*>(detail)->level + 2, 6U);
  }
  static char const* name_of(MD_BLOCKTYPE type) {
    switch (type) {
    case MD_BLOCK_QUOTE: return "blockquote";
    case MD_BLOCK_P: return "p";
    case MD_BLOCK_TABLE: return "table";
    case MD_BLOCK_THEAD: return "thead";
    case MD_BLOCK_TBODY: return "tbody";
    case MD_BLOCK_TR: return "tr";
    case MD_BLOCK_TH: return "th";
    case MD_BLOCK_TD: return "td";
    default: return nullptr;
    }
  }
  static char const* name_of(MD_SPANTYPE type) {
    switch (type) {
    case MD_SPAN_EM: return "em";
    case MD_SPAN_STRONG: return "strong";
    case MD_SPAN_CODE: return "code";
    case MD_SPAN_DEL: return "del";
    default: return nullptr;
    }
  }

  void begin_item(MD_BLOCK_LI_DETAIL const& item) {
    out += "<li>";
    if (item.is_task != 0) out += item.task_mark == ' ' ? "☐ " : "☑ ";
  }
  void begin_code(MD_BLOCK_CODE_DETAIL const& block) {
    is_code_ = true;
    language_.assign(block.lang.text == nullptr ? "" : block.lang.text, block.lang.size);
  }
  void end_code() {
    is_code_ = false;
    out += "<pre><code>" + html_of_code(code_, language_) + "</code></pre>\n";
    code_.clear();
  }
  // A link in a link would end it.
  void begin_link(std::string const& address) {
    bool const inside = std::find(links_.begin(), links_.end(), true) != links_.end();
    links_.push_back(!address.empty() && !inside);
    if (!links_.back()) return;
    out += R"(<a rel="noopener noreferrer nofollow" href=")";
    append_escaped(out, address);
    out += "\">";
  }
  void begin_picture(std::string const& address) {
    begin_link(address);
    out += "[picture: ";
  }
  void end_link() {
    if (links_.back()) out += "</a>";
    links_.pop_back();
  }

  bool is_code_ = false;
  std::string code_, language_;
  std::vector<bool> links_; ///< the open ones; false: its text alone is written
};

Writer& writer(void* self) { return *static_cast<Writer*>(self); }

/// False if the parser failed.
bool write_markdown(std::string const& markdown, Writer& into) {
  MD_PARSER parser{};
  parser.flags = MD_FLAG_TABLES | MD_FLAG_STRIKETHROUGH | MD_FLAG_TASKLISTS | MD_FLAG_PERMISSIVEURLAUTOLINKS
                 | MD_FLAG_NOHTML;
  parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* self) {
    return writer(self).enter(type, detail), 0;
  };
  parser.leave_block = [](MD_BLOCKTYPE type, void* detail, void* self) {
    return writer(self).leave(type, detail), 0;
  };
  parser.enter_span = [](MD_SPANTYPE type, void* detail, void* self) {
    return writer(self).enter(type, detail), 0;
  };
  parser.leave_span = [](MD_SPANTYPE type, void* /*detail*/, void* self) {
    return writer(self).leave(type), 0;
  };
  parser.text = [](MD_TEXTTYPE type, MD_CHAR const* text, MD_SIZE size, void* self) {
    return writer(self).text(type, {text, size}), 0;
  };
  return md_parse(markdown.data(), static_cast<MD_SIZE>(markdown.size()), &parser, &into) == 0;
}

#endif

}

std::string html_escaped(std::string_view text) {
  std::string out;
  append_escaped(out, neutral(unix_lines(text)));
  return out;
}

std::string html_of_markdown(std::string_view text) {
  auto const safe = neutral(unix_lines(text));
#ifdef CLI_HAS_MD4C
  constexpr std::size_t longest = 256 << 10; // bytes: the time of a parser may grow faster than the text
  Writer writer;
  if (safe.size() <= longest && write_markdown(safe, writer)) return writer.out + "</div>\n";
#endif
  return as_characters(safe);
}

}
