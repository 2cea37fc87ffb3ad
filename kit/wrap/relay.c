/*
 * A connection of the portal: a request is read and judged, then passed to a connection of its own to the program; bodies go through as they
 * come, in both directions, and no more of them is held than a buffer. Nothing is asked for twice.
 */
#include "wrap.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct head head; /* of the moment: its texts point into a buffer */

struct connection *new_connection(int client, int64_t now) {
  struct connection *c = calloc(1, sizeof *c);
  if (c == NULL) return NULL;
  c->client = client;
  c->program = -1;
  c->up.ends[0] = c->down.ends[0] = -1;
  c->deadline_ms = now + IDLE_MS;
  name_peer(client, c->user, sizeof c->user);
  return c;
}

void close_program(struct connection *c) {
  c->again_ms = 0;
  if (c->program >= 0) close(c->program);
  c->program = -1;
  c->program_ended = false;
  c->program_pass = 0;
  free_buffer(&c->from_program);
  free_buffer(&c->to_program);
  free_pipe(&c->up);
  free_pipe(&c->down);
}

void drop_connection(struct connection *c) {
  close_program(c);
  close(c->client);
  free_buffer(&c->from_client);
  free_buffer(&c->to_client);
  free(c);
}

bool is_idle(const struct connection *c) { return c->stage == STAGE_HEAD && held(&c->from_client) == 0 && held(&c->to_client) == 0; }

/* ---- answers of our own ---- */

/* Sends what is left, then reads and drops the rest of the request for a moment: a close with unread bytes would reset the connection, and the
 * answer could be lost. */
void linger(struct connection *c, int64_t now) {
  close_program(c);
  c->stage = STAGE_LINGER;
  c->deadline_ms = now + LINGER_MS;
  c->client_pass = 0;
  c->from_client.start = c->from_client.end = 0;
}

static bool refuse(struct connection *c, int status, const char *message, const char *more, int64_t now) {
  char body[256];
  snprintf(body, sizeof body, "{\"error\":\"%s\"}", message);
  bool right = write_answer(&c->to_client, status, more, body, c->asked_head, true);
  linger(c, now);
  return right;
}

/* Where part of an answer is out already, no other can follow. */
bool refuse_or_cut(struct connection *c, int status, const char *message, int64_t now) {
  return c->answered ? false : refuse(c, status, message, status == 503 ? "Retry-After: 1\r\n" : "", now);
}

static bool answer_health(struct connection *c, int64_t now) {
  char body[256 + 2 * BUSY_WORD_BYTES_MAX + 64];
  snprintf(body, sizeof body, "{\"ok\":true,\"versao\":\"%s\",\"pid\":%d%s}", about.version, (int)getpid(), busy_words());
  bool keep = c->keep_alive && !ending && head.body == BODY_NONE;
  if (!write_answer(&c->to_client, 200, "", body, c->asked_head, !keep)) return false;
  if (!keep) linger(c, now);
  return true;
}

/* ---- a request ---- */

enum route { ROUTE_PROGRAM, ROUTE_HEALTH, ROUTE_UNKNOWN };

/* Routes that no program is asked for (rules 4.2): /saude is ours, _sdk/ the portal's, and close-tabs is one that no such program knows. */
static enum route route_of_head(void) {
  const char *query = memchr(head.target.at, '?', head.target.bytes);
  size_t bytes = query == NULL ? head.target.bytes : (size_t)(query - head.target.at);
  struct text path = {head.target.at, bytes};
  bool gets = is_text(head.method, "GET") || is_text(head.method, "HEAD");
  if (gets && bytes == 6 && memcmp(path.at, "/saude", 6) == 0) return ROUTE_HEALTH;
  if (bytes >= 5 && memcmp(path.at, "/_sdk", 5) == 0 && (bytes == 5 || path.at[5] == '/')) return ROUTE_UNKNOWN;
  return is_text(head.method, "POST") && bytes == 11 && memcmp(path.at, "/close-tabs", 11) == 0 ? ROUTE_UNKNOWN : ROUTE_PROGRAM;
}

/* Each request has a connection of its own to the program. */
static bool connect_for(struct connection *c, int64_t now) {
  enum connecting result = connect_program(&c->program);
  c->again_ms = result == CONNECT_AGAIN ? now + CONNECT_AGAIN_MS : 0;
  if (result == CONNECT_REFUSED) return refuse(c, 503, "o programa não atende", "Retry-After: 1\r\n", now);
  if (result == CONNECTED) {
    c->stage = STAGE_EXCHANGE;
    c->deadline_ms = now + INT32_MAX;
  }
  return true;
}

static bool pass_request(struct connection *c, int64_t now) {
  const struct field *host = find_field(&head, "host");
  snprintf(c->authority, sizeof c->authority, "%.*s", host == NULL ? 0 : (int)host->value.bytes, host == NULL ? "" : host->value.at);
  c->upgrade = head.upgrade;
  if (!write_request(&c->to_program, &head, head.upgrade, c->user)) return false;
  begin_framing(&c->request, head.body, head.length);
  c->from_client.start += head.bytes;
  c->program_ended = c->program_deaf = c->head_read = false;
  c->stage = STAGE_CONNECTING;
  c->deadline_ms = now + CONNECT_MS;
  return connect_for(c, now);
}

static bool judge(struct connection *c, int64_t now) {
  if (!gate_admits(&head)) return refuse(c, 403, "token do app recusado", "X-Svc-Token: recusado\r\n", now);
  bool is_options = is_text(head.method, "OPTIONS") && is_text(head.target, "*");
  if (head.target.at[0] != '/' && !is_options) return refuse(c, 400, "o alvo do pedido precisa ser um caminho", "", now);
  if (is_text(head.method, "CONNECT") || is_text(head.method, "TRACE")) return refuse(c, 400, "método recusado", "", now);
  if (!program_ready) return refuse(c, 503, "o programa ainda está começando", "Retry-After: 1\r\n", now);
  enum route route = route_of_head();
  if (route == ROUTE_UNKNOWN) return refuse(c, 404, "rota desconhecida", "", now);
  if (route == ROUTE_PROGRAM) return pass_request(c, now);
  size_t bytes = head.bytes;
  if (!answer_health(c, now)) return false;
  if (c->stage == STAGE_HEAD) {
    c->from_client.start += bytes;
    c->head_since_ms = 0;
    c->deadline_ms = now + IDLE_MS;
  }
  return true;
}

/* True while something moved. */
static bool read_head(struct connection *c, bool *alive, int64_t now) {
  struct buffer *b = &c->from_client;
  if (held(&c->to_client) > 0) return false;
  if (held(b) == 0) {
    if (c->client_ended || ending) *alive = false;
    else if (b->bytes != NULL) free_buffer(b);
    return false;
  }
  if (c->head_since_ms == 0) {
    c->head_since_ms = now;
    c->deadline_ms = now + HEAD_MS;
  }
  if (b->start > 0) {
    memmove(b->bytes, b->bytes + b->start, held(b));
    b->end -= b->start;
    b->start = 0;
  }
  struct fault fault = {400, "pedido interrompido"};
  c->asked_head = c->answered = false;
  enum head_result result = read_request(b->bytes, b->end, &head, &fault);
  if (result == HEAD_PARTIAL && !c->client_ended) return false;
  if (result == HEAD_PARTIAL && b->end == 2 && memcmp(b->bytes, "\r\n", 2) == 0) {
    *alive = false;
    return false;
  }
  if (result != HEAD_WHOLE) {
    *alive = refuse(c, fault.status, fault.message, "", now);
    return true;
  }
  c->asked_head = is_text(head.method, "HEAD");
  c->is_old = head.minor == 0;
  c->keep_alive = head.keep_alive;
  *alive = judge(c, now);
  return true;
}

/* ---- the end of a connection ---- */

static bool lingering(struct connection *c, bool *moved) {
  size_t sent = 0;
  if (held(&c->to_client) > 0) {
    if (send_from(c->client, &c->to_client, held(&c->to_client), &sent) == BROKEN) return false;
    *moved |= sent > 0;
    return true;
  }
  if (!c->told_end) {
    shutdown(c->client, SHUT_WR);
    c->told_end = true;
  }
  c->from_client.start = c->from_client.end = 0;
  return !c->client_ended;
}

/* ---- what the loop asks ---- */

static bool has_room(const struct buffer *b, const struct pipe *pipe) { return pipe->held == 0 && (b->bytes == NULL || held(b) < b->size); }

void wanted_events(const struct connection *c, short *client, short *program) {
  *client = *program = 0;
  bool body_open = c->stage == STAGE_EXCHANGE && !c->request.done;
  bool reads = c->stage == STAGE_HEAD ? held(&c->to_client) == 0 : c->stage == STAGE_TUNNEL || c->stage == STAGE_LINGER || body_open;
  if (reads && !c->client_ended && has_room(&c->from_client, &c->up)) *client |= POLLIN;
  if (held(&c->to_client) > 0 || c->program_pass > 0 || c->down.held > 0 || (c->stage == STAGE_TUNNEL && held(&c->from_program) > 0)) *client |= POLLOUT;
  if (c->program < 0) return;
  if (c->stage == STAGE_CONNECTING) *program = POLLOUT;
  else {
    if (!c->program_ended && has_room(&c->from_program, &c->down)) *program |= POLLIN;
    bool tunnels = c->stage == STAGE_TUNNEL && held(&c->from_client) > 0;
    if (!c->program_deaf && (held(&c->to_program) > 0 || c->client_pass > 0 || c->up.held > 0 || tunnels)) *program |= POLLOUT;
  }
}

static bool connected(struct connection *c, int64_t now) {
  int fault = 0;
  socklen_t bytes = sizeof fault;
  if (getsockopt(c->program, SOL_SOCKET, SO_ERROR, &fault, &bytes) < 0 || fault != 0) return refuse_or_cut(c, 503, "o programa não atende", now);
  c->stage = STAGE_EXCHANGE;
  c->deadline_ms = now + INT32_MAX;
  return true;
}

/* The bytes of this side go through its pipe: none of them is read here. */
static bool is_raw_now(const struct connection *c, bool up) {
  static const struct framing endless = {.kind = BODY_UNTIL_CLOSE};
  const struct pipe *pipe = up ? &c->up : &c->down;
  if (c->stage == STAGE_TUNNEL) return is_raw(pipe, up ? &c->from_client : &c->from_program, &endless) && held(up ? &c->to_program : &c->to_client) == 0;
  if (c->stage != STAGE_EXCHANGE) return false;
  if (up) return is_raw(pipe, &c->from_client, &c->request) && !c->program_deaf && held(&c->to_program) == 0;
  return c->head_read && is_raw(pipe, &c->from_program, &c->response) && held(&c->to_client) == 0;
}

int64_t wakes_at_ms(const struct connection *c) { return c->again_ms > 0 && c->again_ms < c->deadline_ms ? c->again_ms : c->deadline_ms; }

bool advance(struct connection *c, short client, short program, int64_t now) {
  if ((client & POLLERR) != 0 || ((client & POLLHUP) != 0 && (client & POLLIN) == 0)) return false;
  if ((client & POLLIN) != 0 && !is_raw_now(c, true)) fill_from(c->client, &c->from_client, &c->up, &c->client_ended);
  if (c->again_ms > 0 && now >= c->again_ms && !connect_for(c, now)) return false;
  if (c->program >= 0 && c->stage == STAGE_CONNECTING && program != 0 && !connected(c, now)) return false;
  if (c->program >= 0 && c->stage != STAGE_CONNECTING && (program & (POLLIN | POLLHUP | POLLERR)) != 0 && !is_raw_now(c, false) &&
      has_room(&c->from_program, &c->down))
    fill_from(c->program, &c->from_program, &c->down, &c->program_ended);
  c->up.turns = c->down.turns = PIPE_TURNS;
  bool alive = true;
  for (bool moved = true; alive && moved;) {
    moved = false;
    switch (c->stage) {
      case STAGE_HEAD: {
        size_t sent = 0;
        if (held(&c->to_client) > 0 && send_from(c->client, &c->to_client, held(&c->to_client), &sent) == BROKEN) return false;
        moved = read_head(c, &alive, now) || sent > 0;
        break;
      }
      case STAGE_CONNECTING: break;
      case STAGE_EXCHANGE: alive = exchange(c, &moved, now); break;
      case STAGE_TUNNEL: alive = tunnel(c, &moved); break;
      case STAGE_LINGER: alive = lingering(c, &moved); break;
    }
  }
  if (alive && now >= c->deadline_ms) return c->stage == STAGE_CONNECTING && refuse_or_cut(c, 503, "o programa não atende", now);
  return alive;
}
