/* A request and its answer between client and program, and the bytes of an upgraded connection. */
#include "wrap.h"

#include <sys/socket.h>

static struct head head; /* of the answer that is being read: its texts point into a buffer */

/* Judges what came of a body; a trailer is taken out of the way once what is before it was sent. */
static bool judge_body(struct framing *framing, struct buffer *b, size_t *pass) {
  while (!framing->done && !framing->bad && held(b) > *pass) {
    bool drop = false;
    if (*pass == 0 || framing->kind != BODY_CHUNKED) {
      size_t taken = take_body(framing, b->bytes + b->start + *pass, held(b) - *pass, &drop);
      if (drop) b->start += taken;
      else *pass += taken;
      continue;
    }
    /* Between the parts of a chunked body trailers may be dropped: only with nothing in front of them. */
    struct framing before = *framing;
    size_t taken = take_body(framing, b->bytes + b->start + *pass, held(b) - *pass, &drop);
    if (drop) {
      *framing = before;
      return true;
    }
    *pass += taken;
  }
  return !framing->bad;
}

static bool send_request(struct connection *c, bool *moved) {
  size_t sent = 0;
  if (held(&c->to_program) > 0) {
    enum moved result = c->program_deaf ? BROKEN : send_from(c->program, &c->to_program, held(&c->to_program), &sent);
    if (result == BROKEN) c->program_deaf = true, c->to_program.start = c->to_program.end = 0;
    *moved |= result == MOVED;
    if (held(&c->to_program) > 0) return true;
  }
  if (!judge_body(&c->request, &c->from_client, &c->client_pass)) return false;
  if (c->client_pass == 0) {
    if (c->program_deaf || !is_raw(&c->up, &c->from_client, &c->request)) return true;
    enum moved result = move_raw(c->client, c->program, &c->up, &c->request, &c->client_ended);
    c->program_deaf = result == BROKEN;
    *moved |= result == MOVED;
    return true;
  }
  if (!c->program_deaf) {
    enum moved result = send_from(c->program, &c->from_client, c->client_pass, &sent);
    c->client_pass -= sent;
    *moved |= result == MOVED;
    c->program_deaf = result == BROKEN;
  }
  if (c->program_deaf) { /* it may have answered before it left: the rest of the request is read and dropped */
    c->from_client.start += c->client_pass;
    c->client_pass = 0;
    *moved = true;
  }
  return true;
}

static bool take_response_head(struct connection *c, bool *moved, int64_t now) {
  struct fault fault;
  struct buffer *b = &c->from_program;
  enum head_result result = read_response(b->bytes + b->start, held(b), c->asked_head, &head, &fault);
  if (result == HEAD_PARTIAL) return !c->program_ended || refuse_or_cut(c, 502, "o programa encerrou a conexão sem responder", now);
  if (result == HEAD_BAD || (head.status == 101 && !c->upgrade)) return refuse_or_cut(c, 502, "resposta inválida do programa", now);
  *moved = true;
  bool interim = head.status < 200 && head.status != 101;
  c->closing = !c->keep_alive || ending || head.body == BODY_UNTIL_CLOSE;
  if (!(interim && c->is_old) && !write_response(&c->to_client, &head, c->closing, c->authority)) return false;
  b->start += head.bytes;
  if (interim) return true;
  c->answered = c->head_read = true;
  if (head.status == 101) {
    c->stage = STAGE_TUNNEL;
    return true;
  }
  begin_framing(&c->response, head.body, head.length);
  return true;
}

static bool send_response(struct connection *c, bool *moved, int64_t now) {
  size_t sent = 0;
  if (held(&c->to_client) > 0) {
    enum moved result = send_from(c->client, &c->to_client, held(&c->to_client), &sent);
    if (result == BROKEN) return false;
    *moved |= result == MOVED;
    if (held(&c->to_client) > 0) return true;
  }
  if (!c->head_read) {
    if (!take_response_head(c, moved, now)) return false;
    return true;
  }
  if (!judge_body(&c->response, &c->from_program, &c->program_pass)) return false;
  if (c->program_pass > 0) {
    enum moved result = send_from(c->client, &c->from_program, c->program_pass, &sent);
    if (result == BROKEN) return false;
    c->program_pass -= sent;
    *moved |= result == MOVED;
  } else if (is_raw(&c->down, &c->from_program, &c->response)) {
    enum moved result = move_raw(c->program, c->client, &c->down, &c->response, &c->program_ended);
    if (result == BROKEN) return false;
    *moved |= result == MOVED;
  }
  return true;
}

/* The answer is out: the connection takes the next request, or ends. */
static bool finish_exchange(struct connection *c, int64_t now) {
  bool whole = c->request.done && c->client_pass == 0 && held(&c->to_program) == 0 && c->up.held == 0;
  close_program(c);
  c->client_pass = 0;
  if (c->closing || !whole || ending) {
    linger(c, now);
    return true;
  }
  free_buffer(&c->to_client);
  c->stage = STAGE_HEAD;
  c->head_since_ms = 0;
  c->deadline_ms = now + IDLE_MS;
  return true;
}

bool exchange(struct connection *c, bool *moved, int64_t now) {
  if (!send_request(c, moved)) return refuse_or_cut(c, 400, "corpo em pedaços inválido", now);
  if (c->client_ended && !c->request.done && c->client_pass == 0) {
    if (held(&c->from_client) == 0 && c->up.held == 0) return refuse_or_cut(c, 400, "o corpo do pedido foi interrompido", now);
  }
  if (!send_response(c, moved, now)) return false;
  if (c->stage != STAGE_EXCHANGE || !c->head_read || c->program_pass > 0 || c->down.held > 0 || held(&c->to_client) > 0) return true;
  if (c->response.done || (c->program_ended && c->response.kind == BODY_UNTIL_CLOSE && held(&c->from_program) == 0)) {
    *moved = true;
    return finish_exchange(c, now);
  }
  return !(c->program_ended && held(&c->from_program) == 0 && c->down.held == 0); /* cut short: the client sees it by the length */
}

static bool tunnel_one(int from, int to, struct buffer *first, struct buffer *b, struct pipe *pipe, bool *ended, bool *moved) {
  static struct framing endless = {.kind = BODY_UNTIL_CLOSE};
  size_t sent = 0;
  struct buffer *of = held(first) > 0 ? first : b;
  enum moved result = held(of) > 0 ? send_from(to, of, held(of), &sent) : is_raw(pipe, b, &endless) ? move_raw(from, to, pipe, &endless, ended) : WAITS;
  *moved |= result == MOVED;
  return result != BROKEN;
}

bool tunnel(struct connection *c, bool *moved) {
  if (!tunnel_one(c->client, c->program, &c->to_program, &c->from_client, &c->up, &c->client_ended, moved)) return false;
  if (!tunnel_one(c->program, c->client, &c->to_client, &c->from_program, &c->down, &c->program_ended, moved)) return false;
  if (c->client_ended && held(&c->from_client) == 0 && held(&c->to_program) == 0 && c->up.held == 0 && !c->told_end) {
    shutdown(c->program, SHUT_WR);
    c->told_end = true;
  }
  /* A program that ended its half has ended: a socket of the web is not used one way. */
  return !(c->program_ended && held(&c->from_program) == 0 && held(&c->to_client) == 0 && c->down.held == 0);
}
