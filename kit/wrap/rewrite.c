/* The heads that the other side gets: without what ends at this hop, and without the tokens. Bodies are never changed. */
#include "wrap.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool add(struct buffer *buffer, const char *bytes, size_t count) {
  if (buffer->end + count > buffer->size) {
    size_t size = buffer->size == 0 ? 512 : buffer->size;
    while (size < buffer->end + count) size *= 2;
    char *grown = realloc(buffer->bytes, size);
    if (grown == NULL) return false;
    buffer->bytes = grown;
    buffer->size = size;
  }
  memcpy(buffer->bytes + buffer->end, bytes, count);
  buffer->end += count;
  return true;
}

bool add_format(struct buffer *buffer, const char *format, ...) {
  char text[1024];
  va_list parts;
  va_start(parts, format);
  int bytes = vsnprintf(text, sizeof text, format, parts);
  va_end(parts);
  return bytes >= 0 && (size_t)bytes < sizeof text && add(buffer, text, (size_t)bytes);
}

static bool add_text(struct buffer *buffer, struct text text) { return add(buffer, text.at, text.bytes); }

static bool add_field(struct buffer *buffer, const struct field *field) {
  return add_text(buffer, field->name) && add(buffer, ": ", 2) && add_text(buffer, field->value) && add(buffer, "\r\n", 2);
}

static bool is_framing(struct text name) { return is_text(name, "content-length") || is_text(name, "transfer-encoding"); }

/* They end at this hop: those that RFC 9110 7.6.1 names, and those that Connection names. */
static bool ends_here(const struct head *head, struct text name) {
  static const char *const names[] = {"connection", "keep-alive", "proxy-connection", "upgrade", "te", "trailer", "proxy", "http2-settings"};
  for (size_t at = 0; at < sizeof names / sizeof *names; at++)
    if (is_text(name, names[at])) return true;
  if (is_framing(name) || is_text(name, "host")) return false;
  char word[64];
  if (name.bytes >= sizeof word) return false;
  memcpy(word, name.at, name.bytes);
  word[name.bytes] = 0;
  return has_option(head, "connection", word);
}

/* Some programs read `X_Y` and `X-Y` as one name: only the plain spelling of these is passed on. */
static bool is_look_alike(struct text name) {
  static const char *const letters[] = {"contentlength", "transferencoding", "host", "connection", "upgrade"};
  static const char *const plain[] = {"content-length", "transfer-encoding", "host", "connection", "upgrade"};
  for (size_t at = 0; at < sizeof letters / sizeof *letters; at++)
    if (has_letters_of(name, letters[at]) && !is_text(name, plain[at])) return true;
  return false;
}

/* The secrets of the portal: the program is not asked to keep them. */
static bool is_secret(struct text name) { return has_letters_of(name, "xsvcapptoken") || has_letters_of(name, "xsvcemnome"); }

/* The letters of a header name without punctuation, as has_letters_of compares them. */
static void letters_of(const char *name, char *letters, size_t size) {
  size_t count = 0;
  for (; *name != 0 && count + 1 < size; name++) {
    char c = *name >= 'A' && *name <= 'Z' ? (char)(*name + 'a' - 'A') : *name;
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) letters[count++] = c;
  }
  letters[count] = 0;
}

static bool is_of_user(struct text name) {
  char letters[128];
  if (options.user_header == NULL) return false;
  letters_of(options.user_header, letters, sizeof letters);
  return has_letters_of(name, letters);
}

static bool same(struct text text, const char *word) { return strlen(word) == text.bytes && memcmp(text.at, word, text.bytes) == 0; }

/* An Origin is that of this very app when what follows its scheme is the Host of the request. */
static bool is_own_origin(const struct head *head, struct text origin) {
  const struct field *host = find_field(head, "host");
  const char *slashes = memmem(origin.at, origin.bytes, "://", 3);
  if (host == NULL || slashes == NULL) return false;
  struct text authority = {slashes + 3, origin.bytes - (size_t)(slashes + 3 - origin.at)};
  return authority.bytes == host->value.bytes && strncasecmp(authority.at, host->value.at, authority.bytes) == 0;
}

static void local_authority(char *text, size_t size) {
  if (options.by_port) snprintf(text, size, "127.0.0.1:%u", options.port);
  else snprintf(text, size, "localhost");
}

static bool add_request_field(struct buffer *to, const struct head *head, const struct field *field) {
  struct text name = field->name;
  if (ends_here(head, name) || is_look_alike(name) || is_secret(name) || is_of_user(name)) return true;
  if (head->minor == 0 && is_text(name, "expect")) return true;
  if (options.host_local && (is_text(name, "host") || (is_text(name, "origin") && is_own_origin(head, field->value)))) {
    char local[32];
    local_authority(local, sizeof local);
    return is_text(name, "host") ? add_format(to, "Host: %s\r\n", local) : add_format(to, "Origin: http://%s\r\n", local);
  }
  return add_field(to, field);
}

bool write_request(struct buffer *to, const struct head *head, bool upgrade, const char *user) {
  bool right = add_text(to, head->method) && add(to, " ", 1);
  struct text target = head->target;
  if (options.prefix_kept && target.at[0] == '/') {
    right = right && add(to, about.base, strlen(about.base));
    target = (struct text){target.at + 1, target.bytes - 1};
  }
  right = right && add_text(to, target) && add(to, head->minor == 0 ? " HTTP/1.0\r\n" : " HTTP/1.1\r\n", 11);
  if (find_field(head, "host") == NULL) right = right && add(to, "Host: localhost\r\n", 17);
  for (size_t at = 0; right && at < head->count; at++) right = add_request_field(to, head, &head->fields[at]);
  if (*user != 0) right = right && add_format(to, "%s: %s\r\n", options.user_header, user);
  if (!upgrade) return right && add(to, "Connection: close\r\n\r\n", 21);
  return right && add(to, "Connection: Upgrade\r\nUpgrade: ", 30) && add_text(to, find_field(head, "upgrade")->value) && add(to, "\r\n\r\n", 4);
}

/* `http://127.0.0.1:port/x` and the like, which no browser reaches, become `/x`. */
static struct text own_path(struct text location, const char *authority) {
  char by_number[32], by_name[32];
  snprintf(by_number, sizeof by_number, "127.0.0.1:%u", options.port);
  snprintf(by_name, sizeof by_name, "localhost:%u", options.port);
  const char *const known[] = {options.by_port ? by_number : "127.0.0.1", options.by_port ? by_name : "localhost", "localhost", authority};
  size_t scheme = location.bytes > 7 && strncasecmp(location.at, "http://", 7) == 0 ? 7 : location.bytes > 8 && strncasecmp(location.at, "https://", 8) == 0 ? 8 : 0;
  if (scheme == 0) return location;
  const char *from = location.at + scheme, *end = location.at + location.bytes, *to = from;
  while (to < end && *to != '/' && *to != '?' && *to != '#') to++;
  for (size_t at = 0; at < sizeof known / sizeof *known; at++)
    if (same((struct text){from, (size_t)(to - from)}, known[at])) return to == end ? (struct text){"/", 1} : (struct text){to, (size_t)(end - to)};
  return location;
}

static bool add_response_field(struct buffer *to, const struct head *head, const struct field *field, const char *authority) {
  struct text name = field->name;
  if (ends_here(head, name) || is_look_alike(name)) return true;
  if (has_letters_of(name, "xsvctoken")) return true; /* the gate alone says it */
  /* A single framing and no second word on it: the client must see the end where we saw it. */
  bool bodiless = head->status < 200 || head->status == 204 || head->status == 304;
  if (is_text(name, "transfer-encoding") && bodiless) return true;
  if (is_text(name, "content-length") && (find_field(head, "transfer-encoding") != NULL || find_field(head, "content-length") != field)) return true;
  if (!is_text(name, "location") && !is_text(name, "content-location")) return add_field(to, field);
  struct text path = own_path(field->value, authority);
  /* A path of the program's own may look like another host's to a browser. */
  if (path.at == field->value.at) return add_field(to, field);
  const char *before = path.at[0] != '/' ? ": /" : path.bytes > 1 && (path.at[1] == '/' || path.at[1] == '\\') ? ": /." : ": ";
  return add_text(to, name) && add(to, before, strlen(before)) && add_text(to, path) && add(to, "\r\n", 2);
}

bool write_response(struct buffer *to, const struct head *head, bool close, const char *authority) {
  bool right = add_format(to, "HTTP/1.1 %d ", head->status) && add_text(to, head->reason) && add(to, "\r\n", 2);
  for (size_t at = 0; right && at < head->count; at++) right = add_response_field(to, head, &head->fields[at], authority);
  if (head->status == 101) {
    const struct field *upgrade = find_field(head, "upgrade");
    right = right && add(to, "Connection: Upgrade\r\n", 21) && (upgrade == NULL || add_field(to, upgrade));
  } else if (close && head->status >= 200) {
    right = right && add(to, "Connection: close\r\n", 19);
  }
  return right && add(to, "\r\n", 2);
}

static const char *reason_of(int status) {
  switch (status) {
    case 200: return "OK";
    case 400: return "Bad Request";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 417: return "Expectation Failed";
    case 431: return "Request Header Fields Too Large";
    case 502: return "Bad Gateway";
    case 503: return "Service Unavailable";
    default: return "Error";
  }
}

bool write_answer(struct buffer *to, int status, const char *more, const char *body, bool no_body, bool close) {
  return add_format(to,
                    "HTTP/1.1 %d %s\r\nContent-Type: application/json; charset=utf-8\r\nCache-Control: no-store\r\n%sContent-Length: %zu\r\n%s\r\n", status,
                    reason_of(status), more, strlen(body), close ? "Connection: close\r\n" : "") &&
         (no_body || add(to, body, strlen(body)));
}
