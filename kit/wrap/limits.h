/* Limits of svc-wrap; docs/limits.md is written from this file. */
#ifndef SVC_WRAP_LIMITS_H
#define SVC_WRAP_LIMITS_H

enum {
  /* As in the runtimes of sdk/: a head, its lines, and the connections at once. */
  HEAD_BYTES_MAX = 32 * 1024,
  FIELDS_MAX = 256,
  CONNECTIONS_MAX = 512,
  LISTEN_BACKLOG = 512,
  DESCRIPTORS = 8 * CONNECTIONS_MAX,
  CHUNK_LINE_BYTES_MAX = 1024,
  TRAILER_BYTES_MAX = 8 * 1024,
  /* Read at once from one side, and held until the other side takes it. */
  BUFFER_BYTES = 128 * 1024,
  /* A side that brings this much at once is read through a pipe of PIPE_BYTES. */
  MUCH_BYTES = 64 * 1024,
  PIPE_BYTES = 1024 * 1024,
  PIPE_TURNS = 16,
  /* From the first byte of a head to its last. */
  HEAD_MS = 15 * 1000,
  /* The portal keeps an idle connection for up to 10 minutes; it is never closed here first. */
  IDLE_MS = 11 * 60 * 1000,
  /* How long the rest of a refused request is read and dropped, so that its answer arrives. */
  LINGER_MS = 1000,
  CONNECT_MS = 10 * 1000,
  /* How long the guard may take to hand a socket over, and new connections wait where there are no descriptors left. */
  GUARD_MS = 2 * 1000,
  ACCEPT_AGAIN_MS = 100,
  /* Answers under way, and the program, have this long after SIGTERM. The supervisor kills after 10 s. */
  END_GRACE_MS = 5 * 1000,
  READY_EVERY_MS = 100,
  CONNECT_AGAIN_MS = 10,
  BUSY_EVERY_MS = 5 * 1000,
  BUSY_ASK_MS = 4 * 1000,
  /* Of --busy, in /saude. */
  BUSY_WORD_BYTES_MAX = 200,
  PATH_BYTES = 4096,
  SOCKET_PATH_BYTES_MAX = 107,
};

#endif
