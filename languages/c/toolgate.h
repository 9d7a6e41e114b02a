/* Toolgate for C: include this once, define the contract and the function, and the component's exports are there.
 *
 *     #include "toolgate.h"
 *     const char toolgate_contract[] = "{ ... }";
 *     toolgate_answer toolgate_call(toolgate_text arguments) { return toolgate_done("{}"); }
 *
 * The arguments have been held against the contract's schema before the function runs, and what it returns is held against
 * it afterwards. C throws nothing that could be caught: what traps is `tool:trap`, so say what is wrong before it does. */
#ifndef TOOLGATE_H
#define TOOLGATE_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Text with its length; nothing ends it. */
typedef struct {
  const char *at;
  size_t length;
} toolgate_text;

/* Either a result, as JSON, or one of the four reasons why there is none, as text for the model. */
typedef enum {
  TOOLGATE_DONE = -1,
  TOOLGATE_NOT_FOUND = 0,
  TOOLGATE_REFUSED = 1,
  TOOLGATE_UNAVAILABLE = 2,
  TOOLGATE_FAILED = 3
} toolgate_kind;

typedef struct {
  toolgate_kind kind;
  toolgate_text text;
} toolgate_answer;

typedef enum { TOOLGATE_DEBUG, TOOLGATE_INFO, TOOLGATE_WARN, TOOLGATE_ERROR } toolgate_level;

/* What a tool defines. */
extern const char toolgate_contract[];
toolgate_answer toolgate_call(toolgate_text arguments);

/* An answer of this kind. The text has to outlive the function: a literal, or from malloc. */
static inline toolgate_answer toolgate_answers(toolgate_kind kind, const char *text) {
  toolgate_answer answer = {kind, {text, strlen(text)}};
  return answer;
}

static inline toolgate_answer toolgate_done(const char *json) { return toolgate_answers(TOOLGATE_DONE, json); }

__attribute__((import_module("toolgate:tool/host@1.0.0"), import_name("log"))) void toolgate_log_import(
    int32_t level, const char *at, size_t length);

/* One line for the operator. The model never sees it. */
static inline void toolgate_log(toolgate_level level, const char *line) {
  toolgate_log_import(level, line, strlen(line));
}

/* The integer under a key of the arguments' top level; 0 where it is not there or too large. The host has checked the
 * syntax. */
static inline int toolgate_integer(toolgate_text json, const char *key, int64_t *number) {
  size_t key_length = strlen(key), depth = 0;
  for (size_t at = 0; at < json.length; at++) {
    char c = json.at[at];
    if (c == '{' || c == '[') depth++;
    if (c == '}' || c == ']') depth--;
    if (c != '"') continue;
    size_t start = ++at;
    while (at < json.length && json.at[at] != '"') at += json.at[at] == '\\' ? 2 : 1;
    size_t length = at - start, next = at + 1;
    while (next < json.length && strchr(" \t\r\n", json.at[next])) next++;
    if (depth != 1 || next >= json.length || json.at[next] != ':') continue;
    if (length != key_length || memcmp(json.at + start, key, length) != 0) continue;
    for (next++; next < json.length && strchr(" \t\r\n", json.at[next]);) next++;
    int negative = next < json.length && json.at[next] == '-';
    if (negative) next++;
    int64_t value = 0;
    for (; next < json.length && json.at[next] >= '0' && json.at[next] <= '9'; next++) {
      int64_t digit = json.at[next] - '0';
      if (value > (INT64_MAX - digit) / 10) return 0;
      value = value * 10 + digit;
    }
    *number = negative ? -value : value;
    return 1;
  }
  return 0;
}

/* From here on: what the component model calls. One tool is one source file, so this is compiled once. */

__attribute__((export_name("cabi_realloc"))) void *toolgate_realloc(void *old, size_t old_size, size_t align, size_t size) {
  (void)old_size;
  if (size == 0) return (void *)align;
  void *block = realloc(old, size);
  if (block == NULL) abort();
  return block;
}

static uint32_t toolgate_area[4];

__attribute__((export_name("toolgate:tool/tool@1.0.0#contract"))) uint32_t *toolgate_contract_export(void) {
  toolgate_area[0] = (uint32_t)(uintptr_t)toolgate_contract;
  toolgate_area[1] = (uint32_t)strlen(toolgate_contract);
  return toolgate_area;
}

/* result<string, failure>: which of the two, and in the second case which failure, stand before the text. */
__attribute__((export_name("toolgate:tool/tool@1.0.0#call"))) uint32_t *toolgate_call_export(const char *at, size_t length) {
  toolgate_text arguments = {at, length};
  toolgate_answer answer = toolgate_call(arguments);
  int done = answer.kind == TOOLGATE_DONE;
  uint32_t *text = done ? toolgate_area + 1 : toolgate_area + 2;
  toolgate_area[0] = done ? 0 : 1;
  if (!done) toolgate_area[1] = (uint32_t)answer.kind;
  text[0] = (uint32_t)(uintptr_t)answer.text.at;
  text[1] = (uint32_t)answer.text.length;
  return toolgate_area;
}

#endif
