#include "mishap/report.h"

namespace mishap::reports {

// Written by hand: it promises to readers what render_json keeps, and a test holds every golden
// report against it.
std::string json_report_schema() {
  return R"json({
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "title": "A report of mishap",
  "type": "object",
  "required": ["format", "mishap", "suite", "seed", "again", "client", "verdict", "duration_ms", "jobs",
               "stopped", "causes", "controls", "cases", "judged", "not_observed"],
  "properties": {
    "format": {"const": 1},
    "mishap": {"type": "string", "description": "version of mishap that judged"},
    "suite": {"type": "string", "description": "name of the run"},
    "seed": {"type": "integer", "minimum": 0},
    "again": {"type": "string", "description": "the command line that repeats the run"},
    "client": {"$ref": "#/$defs/texts", "description": "its command, secrets masked"},
    "verdict": {"$ref": "#/$defs/verdict"},
    "duration_ms": {"type": "number", "minimum": 0},
    "jobs": {"type": "integer", "minimum": 1, "description": "scenarios side by side"},
    "jobs_reason": {"type": "string", "description": "why jobs was lowered to 1; empty: it was not"},
    "stopped": {"$ref": "#/$defs/texts", "description": "why the run ended early; empty: it did not"},
    "notes": {"$ref": "#/$defs/texts", "description": "about the run as a whole: what was merged"},
    "shard": {"type": "string", "pattern": "^([0-9]+/[0-9]+)?$", "description": "which part of the scenarios was run, as 2/4; empty: all"},
    "stale": {"type": "array", "items": {"$ref": "#/$defs/stale"}, "description": "known findings that were not met any more"},
    "strict_known": {"type": "boolean", "description": "a stale one fails the run"},
    "causes": {"type": "array", "items": {"$ref": "#/$defs/cause"}},
    "controls": {"type": "array", "items": {"$ref": "#/$defs/case"}},
    "cases": {"type": "array", "items": {"$ref": "#/$defs/case"}},
    "judged": {"$ref": "#/$defs/texts", "description": "checks that could judge at least once"},
    "not_observed": {"$ref": "#/$defs/texts", "description": "checks that lacked evidence throughout"}
  },
  "$defs": {
    "texts": {"type": "array", "items": {"type": "string"}},
    "numbers": {"type": "array", "items": {"type": "integer", "minimum": 1}},
    "verdict": {"enum": ["pass", "fail", "inconclusive", "not_applicable", "known"]},
    "stale": {
      "type": "object",
      "required": ["scenario", "check", "reason", "until"],
      "properties": {
        "scenario": {"type": "string", "description": "a glob"},
        "check": {"type": "string", "description": "a glob"},
        "reason": {"type": "string"},
        "until": {"type": "string"}
      }
    },
    "timeline": {
      "type": "array",
      "items": {
        "type": "object",
        "required": ["at_ms", "text"],
        "properties": {
          "at_ms": {"type": "number", "description": "since the run began"},
          "text": {"type": "string"},
          "exchange": {"type": "integer", "minimum": 1}
        }
      }
    },
    "finding": {
      "type": "object",
      "required": ["check", "ruling", "advisory", "headline", "reason", "witnesses", "warnings"],
      "properties": {
        "check": {"type": "string"},
        "ruling": {"enum": ["pass", "fail", "inconclusive", "not_applicable", "not_observed"]},
        "advisory": {"type": "boolean", "description": "a fail that does not count"},
        "headline": {"type": "string"},
        "reason": {"type": "string"},
        "warnings": {"$ref": "#/$defs/texts"},
        "known": {
          "type": "object",
          "description": "of a fail that the list of known findings means",
          "required": ["reason", "until", "expired"],
          "properties": {
            "reason": {"type": "string"},
            "until": {"type": "string", "description": "the last day on which it holds"},
            "expired": {"type": "boolean", "description": "that day is over, so the fail counts"}
          }
        },
        "witnesses": {
          "type": "array",
          "items": {
            "type": "object",
            "required": ["statement", "exchanges", "effects"],
            "properties": {
              "statement": {"type": "string", "description": "the inequality"},
              "exchanges": {"$ref": "#/$defs/numbers"},
              "effects": {"$ref": "#/$defs/numbers"},
              "operation": {"type": "integer", "minimum": 1}
            }
          }
        }
      }
    },
    "case": {
      "type": "object",
      "required": ["scenario", "pack", "verdict", "headline", "consequence", "remedy", "duration_ms",
                   "findings", "timeline", "notes"],
      "properties": {
        "scenario": {"type": "string"},
        "pack": {"type": "string"},
        "verdict": {"$ref": "#/$defs/verdict"},
        "headline": {"type": "string"},
        "consequence": {"type": "string"},
        "remedy": {"type": "string"},
        "duration_ms": {"type": "number", "minimum": 0},
        "findings": {"type": "array", "items": {"$ref": "#/$defs/finding"}},
        "timeline": {"$ref": "#/$defs/timeline"},
        "notes": {"$ref": "#/$defs/texts", "description": "what the driver noticed"},
        "earlier": {"$ref": "#/$defs/texts", "description": "why each try before this one, which ran alone, was inconclusive"}
      }
    },
    "cause": {
      "type": "object",
      "required": ["title", "checks", "scenarios", "consequence", "changes", "inequalities", "timeline"],
      "properties": {
        "title": {"type": "string"},
        "checks": {"$ref": "#/$defs/texts"},
        "scenarios": {"$ref": "#/$defs/texts"},
        "consequence": {"type": "string"},
        "changes": {"$ref": "#/$defs/texts", "description": "what to change in the client, for each check"},
        "inequalities": {"$ref": "#/$defs/texts"},
        "timeline": {"$ref": "#/$defs/timeline"}
      }
    }
  }
}
)json";
}

}  // namespace mishap::reports
