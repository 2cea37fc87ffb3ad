/* Where a body ends. A chunked one is read strictly: the request behind it begins where everybody says that it does. */
#include "wrap.h"

enum { AT_SIZE, AT_SPACE, AT_EXTENSION, AT_SIZE_FEED, AT_DATA, AT_DATA_RETURN, AT_DATA_FEED, AT_LINE, AT_TRAILER_NAME, AT_TRAILER, AT_TRAILER_FEED, AT_END_FEED };

void begin_framing(struct framing *framing, enum body_kind kind, uint64_t length) {
  *framing = (struct framing){.kind = kind, .left = kind == BODY_LENGTH ? length : 0, .state = AT_SIZE};
  framing->done = kind == BODY_NONE;
}

static int hex_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool is_plain(char c) { return c == '\t' || ((unsigned char)c >= 0x20 && c != 0x7f); }

/* After the size: an extension or the end of the line. */
static int after_size(char c, int state) {
  if (c == '\r') return AT_SIZE_FEED;
  if (state == AT_EXTENSION) return is_plain(c) ? AT_EXTENSION : -1;
  return c == ';' ? AT_EXTENSION : c == ' ' || c == '\t' ? AT_SPACE : -1;
}

/* The next state after a byte outside of the data, or -1. */
static int step(struct framing *f, char c) {
  switch (f->state) {
    case AT_SIZE: {
      int digit = hex_of(c);
      if (digit >= 0) {
        f->left = f->left * 16 + (uint64_t)digit;
        return ++f->digits > 12 ? -1 : AT_SIZE;
      }
      return f->digits == 0 ? -1 : after_size(c, AT_SIZE);
    }
    case AT_SPACE:
    case AT_EXTENSION: return after_size(c, f->state);
    case AT_SIZE_FEED: return c != '\n' ? -1 : f->left > 0 ? AT_DATA : AT_LINE;
    case AT_DATA_RETURN: return c == '\r' ? AT_DATA_FEED : -1;
    case AT_DATA_FEED: return c == '\n' ? AT_SIZE : -1;
    case AT_LINE: return c == '\r' ? AT_END_FEED : is_token_char((unsigned char)c) ? AT_TRAILER_NAME : -1;
    case AT_TRAILER_NAME: return c == ':' ? AT_TRAILER : is_token_char((unsigned char)c) ? AT_TRAILER_NAME : -1;
    case AT_TRAILER: return c == '\r' ? AT_TRAILER_FEED : is_plain(c) ? AT_TRAILER : -1;
    case AT_TRAILER_FEED: return c == '\n' ? AT_LINE : -1;
    case AT_END_FEED: f->done = c == '\n'; return f->done ? AT_END_FEED : -1;
    default: return -1;
  }
}

static bool is_trailer(int state) { return state == AT_TRAILER_NAME || state == AT_TRAILER || state == AT_TRAILER_FEED; }

/* A step, and what is counted with it. */
static bool step_counted(struct framing *f, char c) {
  int before = f->state, after = step(f, c);
  if (after < 0) return false;
  f->line_bytes = after == AT_DATA || (before == AT_DATA_FEED && after == AT_SIZE) ? 0 : f->line_bytes + 1;
  if (before == AT_DATA_FEED) f->digits = 0;
  if (is_trailer(after)) f->trailer_bytes++;
  f->state = after;
  bool in_trailers = after >= AT_LINE;
  return in_trailers ? f->trailer_bytes <= TRAILER_BYTES_MAX : f->line_bytes <= CHUNK_LINE_BYTES_MAX;
}

static size_t take_data(struct framing *f, size_t bytes) {
  size_t taken = f->left < bytes ? (size_t)f->left : bytes;
  f->left -= taken;
  return taken;
}

uint64_t raw_bytes(const struct framing *f) {
  if (f->done || f->bad) return 0;
  if (f->kind == BODY_UNTIL_CLOSE) return UINT64_MAX;
  return f->kind == BODY_LENGTH || (f->kind == BODY_CHUNKED && f->state == AT_DATA) ? f->left : 0;
}

size_t take_body(struct framing *f, const char *at, size_t bytes, bool *drop) {
  *drop = false;
  if (f->done || f->bad) return 0;
  if (f->kind == BODY_UNTIL_CLOSE) return bytes;
  if (f->kind == BODY_LENGTH) {
    size_t taken = take_data(f, bytes);
    f->done = f->left == 0;
    return taken;
  }
  size_t taken = 0;
  while (taken < bytes && !f->done) {
    if (f->state == AT_DATA) {
      taken += take_data(f, bytes - taken);
      if (f->left == 0) f->state = AT_DATA_RETURN;
      continue;
    }
    /* A run of bytes is a trailer, or is none. At AT_LINE the next byte decides: CR is the end of the body. */
    bool dropped = is_trailer(f->state) || (f->state == AT_LINE && at[taken] != '\r');
    if (taken > 0 && dropped != *drop) return taken;
    *drop = dropped;
    if (!step_counted(f, at[taken])) {
      f->bad = true;
      return taken; /* what came before it was good */
    }
    taken++;
  }
  return taken;
}
