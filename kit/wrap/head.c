/* Strict heads of requests and answers: what two programs could read in two ways is refused. The rules are those of sdk/python/svc/_http.py. */
#include "wrap.h"

#include <string.h>
#include <strings.h>

bool is_token_char(unsigned char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c != 0 && strchr("!#$%&'*+.^_`|~-", c) != NULL);
}

static bool is_value_char(unsigned char c) { return c == '\t' || (c >= 0x20 && c != 0x7f); }

bool is_text(struct text text, const char *word) { return strlen(word) == text.bytes && strncasecmp(text.at, word, text.bytes) == 0; }

bool has_letters_of(struct text name, const char *letters) {
  for (size_t at = 0; at < name.bytes; at++) {
    char c = name.at[at];
    if (c >= 'A' && c <= 'Z') c = (char)(c + 'a' - 'A');
    if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))) continue;
    if (*letters != c) return false;
    letters++;
  }
  return *letters == 0;
}

const struct field *find_field(const struct head *head, const char *name) {
  for (size_t at = 0; at < head->count; at++)
    if (is_text(head->fields[at].name, name)) return &head->fields[at];
  return NULL;
}

static size_t count_fields(const struct head *head, const char *name) {
  size_t found = 0;
  for (size_t at = 0; at < head->count; at++) found += is_text(head->fields[at].name, name);
  return found;
}

/* The header `name` is a list, of which `option` is a part. */
bool has_option(const struct head *head, const char *name, const char *option) {
  for (size_t at = 0; at < head->count; at++) {
    if (!is_text(head->fields[at].name, name)) continue;
    const char *from = head->fields[at].value.at, *end = from + head->fields[at].value.bytes;
    while (from <= end) {
      const char *comma = memchr(from, ',', (size_t)(end - from)), *to = comma == NULL ? end : comma;
      while (from < to && (*from == ' ' || *from == '\t')) from++;
      const char *last = to;
      while (last > from && (last[-1] == ' ' || last[-1] == '\t')) last--;
      if (is_text((struct text){from, (size_t)(last - from)}, option)) return true;
      from = to + 1;
    }
  }
  return false;
}

static enum head_result bad(struct fault *fault, int status, const char *message) {
  *fault = (struct fault){status, message};
  return HEAD_BAD;
}

/* The next line without its end; NULL when it is not whole yet, or (with *broken) ends in another way than CR LF. */
static const char *line_end(const char *from, const char *end, bool *broken) {
  const char *feed = memchr(from, '\n', (size_t)(end - from));
  if (feed == NULL) return NULL;
  *broken = feed == from || feed[-1] != '\r';
  return feed;
}

static bool read_field(struct head *head, const char *from, const char *to) {
  const char *colon = memchr(from, ':', (size_t)(to - from));
  if (colon == NULL || colon == from) return false;
  for (const char *at = from; at < colon; at++)
    if (!is_token_char((unsigned char)*at)) return false;
  for (const char *at = colon + 1; at < to; at++)
    if (!is_value_char((unsigned char)*at)) return false;
  const char *value = colon + 1;
  while (value < to && (*value == ' ' || *value == '\t')) value++;
  while (to > value && (to[-1] == ' ' || to[-1] == '\t')) to--;
  head->fields[head->count++] = (struct field){{from, (size_t)(colon - from)}, {value, (size_t)(to - value)}};
  return true;
}

static bool read_request_line(struct head *head, const char *from, const char *to) {
  const char *space = memchr(from, ' ', (size_t)(to - from));
  if (space == NULL || space == from || space - from > 32) return false;
  for (const char *at = from; at < space; at++)
    if (!((*at >= 'A' && *at <= 'Z') || (*at == '-' && at > from))) return false;
  head->method = (struct text){from, (size_t)(space - from)};
  const char *target = space + 1, *end = memchr(target, ' ', (size_t)(to - target));
  if (end == NULL || end == target || to - end != 9 || memcmp(end, " HTTP/1.", 8) != 0) return false;
  for (const char *at = target; at < end; at++)
    if ((unsigned char)*at <= 0x20 || (unsigned char)*at >= 0x7f) return false;
  head->target = (struct text){target, (size_t)(end - target)};
  head->minor = end[8] - '0';
  return head->minor == 0 || head->minor == 1;
}

static bool read_status_line(struct head *head, const char *from, const char *to) {
  if (to - from < 12 || memcmp(from, "HTTP/1.", 7) != 0 || (from[7] != '0' && from[7] != '1') || from[8] != ' ') return false;
  for (int at = 9; at < 12; at++)
    if (from[at] < '0' || from[at] > '9') return false;
  if (to - from > 12 && from[12] != ' ') return false;
  head->minor = from[7] - '0';
  head->status = (from[9] - '0') * 100 + (from[10] - '0') * 10 + (from[11] - '0');
  head->reason = to - from > 13 ? (struct text){from + 13, (size_t)(to - from - 13)} : (struct text){"", 0};
  for (size_t at = 0; at < head->reason.bytes; at++)
    if (!is_value_char((unsigned char)head->reason.at[at])) return false;
  return head->status >= 100 && head->status <= 599;
}

/* The first line and the fields, up to the empty line. */
static enum head_result read_lines(const char *at, size_t bytes, struct head *head, struct fault *fault,
                                   bool (*first)(struct head *, const char *, const char *), const char *what) {
  if (bytes == 0) return HEAD_PARTIAL;
  const char *from = at, *end = at + (bytes > HEAD_BYTES_MAX ? HEAD_BYTES_MAX : bytes);
  bool broken = false, is_first = true;
  head->count = 0;
  if (end - from >= 2 && from[0] == '\r' && from[1] == '\n') from += 2; /* RFC 9112 2.2: one empty line before it is let through */
  for (const char *feed; (feed = line_end(from, end, &broken)) != NULL; from = feed + 1) {
    if (is_first) {
      if (broken || !first(head, from, feed - 1)) return bad(fault, 400, what);
      is_first = false;
      continue;
    }
    if (broken) return bad(fault, 400, "cabeçalho inválido");
    if (feed - 1 == from) {
      head->bytes = (size_t)(feed + 1 - at);
      return HEAD_WHOLE;
    }
    if (head->count >= FIELDS_MAX) return bad(fault, 431, "cabeçalhos demais");
    if (!read_field(head, from, feed - 1)) return bad(fault, 400, "cabeçalho inválido");
  }
  return bytes >= HEAD_BYTES_MAX ? bad(fault, 431, "cabeçalhos grandes demais") : HEAD_PARTIAL;
}

/* At most 15 digits and nothing else. */
static bool read_length(struct text value, uint64_t *length) {
  if (value.bytes == 0 || value.bytes > 15) return false;
  *length = 0;
  for (size_t at = 0; at < value.bytes; at++) {
    if (value.at[at] < '0' || value.at[at] > '9') return false;
    *length = *length * 10 + (uint64_t)(value.at[at] - '0');
  }
  return true;
}

/* An upgrade to another HTTP would carry requests that nobody judges: they stay in this one. */
static bool is_other_http(struct text protocols) {
  for (size_t at = 0; at < protocols.bytes; at++) {
    struct text rest = {protocols.at + at, protocols.bytes - at};
    if (rest.bytes >= 2 && (strncasecmp(rest.at, "h2", 2) == 0 || strncasecmp(rest.at, "h3", 2) == 0)) return true;
    if (rest.bytes >= 4 && (strncasecmp(rest.at, "http", 4) == 0 || strncasecmp(rest.at, "tls/", 4) == 0)) return true;
  }
  return false;
}

enum head_result read_request(const char *at, size_t bytes, struct head *head, struct fault *fault) {
  enum head_result result = read_lines(at, bytes, head, fault, read_request_line, "linha de pedido inválida");
  if (result != HEAD_WHOLE) return result;
  size_t hosts = count_fields(head, "host"), lengths = count_fields(head, "content-length"), codings = count_fields(head, "transfer-encoding");
  if (hosts > 1 || (head->minor == 1 && hosts == 0)) return bad(fault, 400, "Host ausente ou repetido");
  if (lengths > 0 && codings > 0) return bad(fault, 400, "Content-Length com Transfer-Encoding");
  head->length = 0;
  if (lengths > 1 || (lengths == 1 && !read_length(find_field(head, "content-length")->value, &head->length)))
    return bad(fault, 400, "Content-Length inválido");
  if (codings > 0 && (head->minor == 0 || codings > 1 || !is_text(find_field(head, "transfer-encoding")->value, "chunked")))
    return bad(fault, 400, "Transfer-Encoding inválido");
  size_t expects = count_fields(head, "expect");
  if (expects > 1 || (expects == 1 && !is_text(find_field(head, "expect")->value, "100-continue"))) return bad(fault, 417, "Expect desconhecido");
  head->expects_continue = expects == 1 && head->minor == 1;
  head->body = codings > 0 ? BODY_CHUNKED : head->length > 0 ? BODY_LENGTH : BODY_NONE;
  head->keep_alive = !has_option(head, "connection", "close") && (head->minor == 1 || has_option(head, "connection", "keep-alive"));
  head->upgrade = head->minor == 1 && head->body == BODY_NONE && is_text(head->method, "GET") && count_fields(head, "upgrade") == 1 &&
                  has_option(head, "connection", "upgrade") && !is_other_http(find_field(head, "upgrade")->value);
  return HEAD_WHOLE;
}

enum head_result read_response(const char *at, size_t bytes, bool asked_head, struct head *head, struct fault *fault) {
  enum head_result result = read_lines(at, bytes, head, fault, read_status_line, "resposta inválida do programa");
  if (result == HEAD_BAD) return bad(fault, 502, "resposta inválida do programa");
  if (result != HEAD_WHOLE) return result;
  size_t codings = count_fields(head, "transfer-encoding");
  bool sized = false;
  head->length = 0;
  for (size_t n = 0; n < head->count; n++) {
    if (!is_text(head->fields[n].name, "content-length")) continue;
    uint64_t length = 0;
    if (!read_length(head->fields[n].value, &length) || (sized && length != head->length)) return bad(fault, 502, "resposta inválida do programa");
    head->length = length;
    sized = true;
  }
  if (codings > 0 && (codings > 1 || head->minor == 0 || !is_text(find_field(head, "transfer-encoding")->value, "chunked")))
    return bad(fault, 502, "resposta inválida do programa");
  bool bodiless = asked_head || head->status < 200 || head->status == 204 || head->status == 304;
  head->upgrade = head->status == 101;
  head->body = bodiless ? BODY_NONE : codings > 0 ? BODY_CHUNKED : sized ? (head->length > 0 ? BODY_LENGTH : BODY_NONE) : BODY_UNTIL_CLOSE;
  return HEAD_WHOLE;
}
