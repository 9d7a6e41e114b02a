/* A tool in C: what one item costs, out of a total and a number of items. */
#include "toolgate.h"

const char toolgate_contract[] =
    "{\"name\":\"unit_price_c\",\"version\":\"1.0.0\",\"effects\":\"read\","
    "\"description\":\"What one item costs, rounded down to the cent.\","
    "\"input\":{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"total_cents\",\"items\"],"
    "\"properties\":{\"total_cents\":{\"type\":\"integer\"},\"items\":{\"type\":\"integer\"}}},"
    "\"output\":{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"cents\"],"
    "\"properties\":{\"cents\":{\"type\":\"integer\",\"minimum\":0}}}}";

/* {"cents":N} in a block of its own. */
static const char *result(int64_t cents) {
  static const char head[] = "{\"cents\":";
  char *json = malloc(sizeof head + 24);
  if (json == NULL) abort();
  char digits[24];
  size_t n_digits = 0;
  do digits[n_digits++] = (char)('0' + cents % 10);
  while ((cents /= 10) > 0);
  char *end = (char *)memcpy(json, head, sizeof head - 1) + sizeof head - 1;
  while (n_digits > 0) *end++ = digits[--n_digits];
  *end++ = '}';
  *end = '\0';
  return json;
}

toolgate_answer toolgate_call(toolgate_text arguments) {
  int64_t total_cents, items;
  if (!toolgate_integer(arguments, "total_cents", &total_cents) || !toolgate_integer(arguments, "items", &items)) {
    return toolgate_answers(TOOLGATE_FAILED, "a number is too large");
  }
  if (total_cents < 0) return toolgate_answers(TOOLGATE_REFUSED, "the total is negative; ask for a refund instead");
  /* Whoever asks for no items finds the bug that the test looks for: a division by zero. */
  toolgate_log(TOOLGATE_DEBUG, "dividing");
  return toolgate_done(result(total_cents / items));
}
