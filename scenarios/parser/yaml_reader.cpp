#include "scenarios/parser/yaml_reader.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <unordered_map>

#include "scenarios/parser/text_check.h"
#include "scenarios/parser/yaml_trouble.h"

// The only file that names yaml-cpp. Its event interface is used, not its node tree: events come as
// the text is scanned, so that depth and number of nodes are bounded before anything is built
// (yaml-cpp itself gives up at 500 levels).
namespace mishap::scenarios {
namespace {

// Leaves the library's recursion from inside an event; caught below, in this file.
struct Refused {
  SourceSpan span;
  std::string message;
};

class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(const Source& source, Problems& problems) : source_(source), problems_(problems) {
    line_begins_.push_back(0);
    for (std::size_t at = 0; at < source->text.size(); ++at) {
      if (source->text[at] == '\n') line_begins_.push_back(at + 1);
    }
  }

  std::optional<Node> take_root() { return std::move(root_); }

  // Where the innermost list or map began, if the text ends before it does.
  std::optional<SourceSpan> left_open(const SourceSpan& span) const {
    const std::string_view text = source_->text;
    const bool at_end = text.find_first_not_of(" \n\r", offset_of(span)) == text.npos;
    if (!at_end || stack_.empty()) return std::nullopt;
    return stack_.back().node.span;
  }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) refuse(place(mark), second_document_message(*source_, place(mark).line));
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Node node;
    node.span = place(mark);
    const std::string_view rest = rest_of(node.span);
    if (rest.starts_with('~')) {
      node.span.length = 1;
    } else if (rest.starts_with("null")) {
      node.span.length = 4;
    } else if (Open* open = innermost(); open != nullptr && open->key) {
      // "key:" with nothing behind it: the library's mark is that of the next token.
      node.span = open->key->span;
    }
    finish(std::move(node), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchored_.find(anchor);
    if (found == anchored_.end())
      refuse(place(mark), "an alias cannot stand inside its own anchor");
    const Anchored& anchored = found->second;
    if (depth() + anchored.size.depth > TreeLimits::kDepth) refuse_depth(place(mark));
    count(anchored.size.nodes, anchored.size.text_bytes, place(mark));
    add(Node(anchored.node));
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    // The library gives "?" to plain scalars and "!" to quoted ones.
    const SourceSpan span = place(mark);
    if (tag != "?" && tag != "!") refuse(span, "YAML tags (!!) are no part of the language");
    Node node;
    node.kind = Node::Kind::Scalar;
    node.text = value;
    node.quoted = tag == "!";
    node.span = span;
    node.span.length = written_length(span, node);
    count(1, value.size(), span);
    finish(std::move(node), anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(Node::Kind::List, mark, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(Node::Kind::Map, mark, tag, anchor);
  }
  void OnMapEnd() override { close(); }

  SourceSpan place(const YAML::Mark& mark) const {
    const int last = static_cast<int>(line_begins_.size());
    if (mark.is_null()) return {source_, last, 1, 1};
    return {source_, std::min(mark.line + 1, last), mark.column + 1, 1};
  }

 private:
  struct Open {
    Node node;
    YAML::anchor_t anchor = 0;
    std::optional<Node> key;
    std::map<std::string, int, std::less<>> lines_of_keys;
  };
  struct Anchored {
    Node node;
    TreeSize size;
  };

  [[noreturn]] static void refuse(SourceSpan span, std::string message) {
    throw Refused{std::move(span), std::move(message)};
  }
  [[noreturn]] static void refuse_depth(SourceSpan span) {
    refuse(std::move(span), fmt::format("nested deeper than {} levels", TreeLimits::kDepth));
  }

  int depth() const { return static_cast<int>(stack_.size()); }
  Open* innermost() { return stack_.empty() ? nullptr : &stack_.back(); }

  std::string_view rest_of(const SourceSpan& span) const {
    const std::size_t at = offset_of(span);
    const std::string_view text = source_->text;
    return text.substr(at, text.find('\n', at) - at);
  }

  std::size_t offset_of(const SourceSpan& span) const {
    const std::size_t begin = line_begins_[static_cast<std::size_t>(span.line - 1)];
    return std::min(begin + static_cast<std::size_t>(span.column - 1), source_->text.size());
  }

  // Of a quoted text, quotes included. The library takes one that is never closed for whole.
  std::size_t quoted_length(const SourceSpan& span) const {
    const std::string_view text = source_->text;
    const std::size_t begin = offset_of(span);
    if (begin >= text.size() || (text[begin] != '"' && text[begin] != '\'')) return 1;  // | or >
    const char quote = text[begin];
    for (std::size_t at = begin + 1; at < text.size(); ++at) {
      const bool doubled = quote == '\'' && at + 1 < text.size() && text[at + 1] == quote;
      if (text[at] == '\\' && quote == '"') {
        ++at;
      } else if (text[at] == quote && doubled) {
        ++at;
      } else if (text[at] == quote) {
        return at + 1 - begin;
      }
    }
    refuse(span, "this quote is never closed");
  }

  int written_length(const SourceSpan& span, const Node& node) const {
    const std::string_view rest = rest_of(span);
    if (node.quoted) return static_cast<int>(std::min(quoted_length(span), rest.size()));
    return rest.starts_with(node.text) ? static_cast<int>(node.text.size()) : 1;
  }

  void count(std::size_t nodes, std::size_t text_bytes, const SourceSpan& span) {
    nodes_ += nodes;
    text_bytes_ += text_bytes;
    if (nodes_ > TreeLimits::kNodes || text_bytes_ > TreeLimits::kTextBytes) {
      refuse(span, fmt::format("the file unfolds to more than {} values or {} MiB of text",
                               TreeLimits::kNodes, TreeLimits::kTextBytes >> 20U));
    }
  }

  void open(Node::Kind kind, const YAML::Mark& mark, const std::string& tag,
            YAML::anchor_t anchor) {
    const SourceSpan span = place(mark);
    // "?" stands for no tag here as well; older events carry an empty one.
    if (!tag.empty() && tag != "?" && tag != "!") {
      refuse(span, "YAML tags (!!) are no part of the language");
    }
    if (depth() >= TreeLimits::kDepth) refuse_depth(span);
    count(1, 0, span);
    Open entry;
    entry.node.kind = kind;
    entry.node.span = span;
    entry.anchor = anchor;
    stack_.push_back(std::move(entry));
  }

  void close() {
    Open entry = std::move(stack_.back());
    stack_.pop_back();
    finish(std::move(entry.node), entry.anchor);
  }

  void finish(Node node, YAML::anchor_t anchor) {
    if (anchor != 0) {
      const TreeSize size = measure(node);
      // The copy that is kept for aliases costs as much as the node itself.
      count(size.nodes, size.text_bytes, node.span);
      anchored_[anchor] = {node, size};
    }
    add(std::move(node));
  }

  void add(Node node) {
    Open* open = innermost();
    if (open == nullptr) {
      root_ = std::move(node);
    } else if (open->node.is_list()) {
      open->node.items.push_back(std::move(node));
    } else if (!open->key) {
      add_key(*open, std::move(node));
    } else {
      open->node.members.emplace_back(std::move(*open->key), std::move(node));
      open->key.reset();
    }
  }

  void add_key(Open& open, Node key) {
    if (key.is_null()) {
      key.kind = Node::Kind::Scalar;
    } else if (!key.is_scalar()) {
      refuse(key.span, "a key is one word, not a list or a map");
    }
    const auto [earlier, fresh] = open.lines_of_keys.try_emplace(key.text, key.span.line);
    if (!fresh) {
      problems_.error(key.span, fmt::format("the key \"{}\" was given before, on line {}",
                                            key.text.substr(0, 60), earlier->second));
    }
    open.key = std::move(key);
  }

  Source source_;
  Problems& problems_;
  std::vector<std::size_t> line_begins_;
  std::vector<Open> stack_;
  std::optional<Node> root_;
  std::unordered_map<YAML::anchor_t, Anchored> anchored_;
  int documents_ = 0;
  std::size_t nodes_ = 0;
  std::size_t text_bytes_ = 0;
};

void measure_into(const Node& node, int depth, TreeSize& size) {
  ++size.nodes;
  size.text_bytes += node.text.size();
  size.depth = std::max(size.depth, depth);
  for (const Node& item : node.items) measure_into(item, depth + 1, size);
  for (const auto& [key, value] : node.members) {
    ++size.nodes;
    size.text_bytes += key.text.size();
    measure_into(value, depth + 1, size);
  }
}

}  // namespace

TreeSize measure(const Node& node) {
  TreeSize size;
  measure_into(node, node.is_map() || node.is_list() ? 1 : 0, size);
  return size;
}

std::optional<Node> read_yaml(const Source& source, Problems& problems) {
  if (!check_text(source, problems)) return std::nullopt;
  TreeBuilder builder(source, problems);
  try {
    std::istringstream in(source->text);
    YAML::Parser parser(in);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const Refused& refused) {
    problems.error(refused.span, refused.message);
    return std::nullopt;
  } catch (const YAML::Exception& exception) {
    const SourceSpan span = builder.place(exception.mark);
    const auto opening = builder.left_open(span);
    if (opening && exception.msg.find("flow not found") != std::string::npos) {
      problems.error(*opening, "this bracket is never closed");
      return std::nullopt;
    }
    const YamlTrouble trouble = explain_yaml_trouble(*source, span, exception.msg);
    SourceSpan shown = span;
    shown.column = trouble.column;
    shown.length = trouble.length;
    problems.error(shown, trouble.message);
    return std::nullopt;
  }
  auto root = builder.take_root();
  // Directives alone, for one.
  if (!root) problems.error({source, 0, 0, 1}, "the file is empty");
  return root;
}

}  // namespace mishap::scenarios
