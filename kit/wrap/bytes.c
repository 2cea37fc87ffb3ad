/* Bytes from one descriptor to another. */
#include "wrap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

size_t held(const struct buffer *b) { return b->end - b->start; }

void free_buffer(struct buffer *b) {
  free(b->bytes);
  *b = (struct buffer){0};
}

void free_pipe(struct pipe *pipe) {
  if (pipe->ends[0] >= 0) {
    close(pipe->ends[0]);
    close(pipe->ends[1]);
  }
  *pipe = (struct pipe){.ends = {-1, -1}};
}

enum moved fill_from(int from, struct buffer *b, struct pipe *pipe, bool *ended) {
  if (b->bytes == NULL) {
    if ((b->bytes = malloc(BUFFER_BYTES)) == NULL) return BROKEN;
    b->size = BUFFER_BYTES;
  }
  if (b->start == b->end) b->start = b->end = 0;
  if (b->end == b->size && b->start > 0) {
    memmove(b->bytes, b->bytes + b->start, held(b));
    b->end -= b->start;
    b->start = 0;
  }
  if (b->end == b->size) return WAITS;
  ssize_t got = recv(from, b->bytes + b->end, b->size - b->end, 0);
  if (got > 0) {
    b->end += (size_t)got;
    pipe->much |= (size_t)got >= MUCH_BYTES;
    return MOVED;
  }
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return WAITS;
  *ended = true;
  return got == 0 ? ENDED : BROKEN;
}

enum moved send_from(int to, struct buffer *b, size_t count, size_t *sent) {
  *sent = 0;
  if (count == 0) return WAITS;
  ssize_t got = send(to, b->bytes + b->start, count, MSG_NOSIGNAL);
  if (got < 0) return errno == EAGAIN || errno == EINTR ? WAITS : BROKEN;
  *sent = (size_t)got;
  b->start += (size_t)got;
  if (b->start == b->end) b->start = b->end = 0;
  return MOVED;
}

bool is_raw(const struct pipe *pipe, const struct buffer *b, const struct framing *framing) {
  return pipe->held > 0 || (pipe->much && !pipe->useless && held(b) == 0 && raw_bytes(framing) >= MUCH_BYTES);
}

static bool open_pipe(struct pipe *pipe) {
  if (pipe->ends[0] >= 0) return true;
  if (pipe2(pipe->ends, O_CLOEXEC | O_NONBLOCK) < 0) {
    pipe->ends[0] = -1;
    return false;
  }
  fcntl(pipe->ends[0], F_SETPIPE_SZ, PIPE_BYTES);
  return true;
}

enum moved move_raw(int from, int to, struct pipe *pipe, struct framing *framing, bool *ended) {
  bool moved = false, drop;
  if (pipe->turns == 0) return WAITS; /* both sockets are ready still: the next round begins at once */
  pipe->turns--;
  uint64_t allowed = raw_bytes(framing);
  if (!open_pipe(pipe)) {
    pipe->useless = true;
    return MOVED; /* by the other way */
  }
  if (allowed > 0 && pipe->held < PIPE_BYTES && !*ended) {
    ssize_t got = splice(from, NULL, pipe->ends[1], NULL, allowed < PIPE_BYTES ? (size_t)allowed : PIPE_BYTES, SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
    if (got > 0) {
      take_body(framing, NULL, (size_t)got, &drop);
      pipe->held += (size_t)got;
      moved = true;
    } else if (got < 0 && errno == EINVAL) {
      pipe->useless = moved = true;
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
      *ended = true;
    }
  }
  if (pipe->held == 0) return moved ? MOVED : WAITS;
  ssize_t sent = splice(pipe->ends[0], NULL, to, NULL, pipe->held, SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
  if (sent < 0) return errno == EAGAIN || errno == EINTR ? (moved ? MOVED : WAITS) : BROKEN;
  pipe->held -= (size_t)sent;
  return MOVED;
}
