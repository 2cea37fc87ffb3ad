/*
 * svc-wrap: puts a web application that knows nothing of svc behind the socket, the gate and the health route of an app.
 * One process, one loop, no threads. This file: what its parts have in common. Decision: docs/decisions/0430-svc-wrap.md
 */
#ifndef SVC_WRAP_H
#define SVC_WRAP_H

#define _GNU_SOURCE
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>
#include "limits.h"

enum { EXIT_OCCUPIED = 0, EXIT_FAILED = 1, EXIT_NOWHERE = 2 };

/* ---- about.c: who this app is, and what is said ---- */

struct about {
  char id[64];
  char version[160];
  char base[1024];         /* with a closing slash */
  char data[PATH_BYTES];
  char package[PATH_BYTES]; /* '' where there is no svc-app.json */
  bool server_scope;
};
extern struct about about;

void read_about(void);
bool make_folders(const char *path);
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- options.c ---- */

enum network { NETWORK_OWN, NETWORK_HOST };
enum busy_kind { BUSY_NEVER, BUSY_ANSWER, BUSY_SCRIPT, BUSY_CPU };

struct options {
  char **command; /* with the placeholders filled in */
  const char **set; /* NAME=VALUE for the program, filled in; NULL at the end */
  const char *tcp;  /* host:port of a bench, or NULL */
  bool by_port;     /* the program listens on a port, not on a socket */
  unsigned port;
  enum network network;
  bool prefix_kept;
  bool host_local;
  const char *user_header; /* NULL: none */
  enum busy_kind busy;
  const char *busy_word, *busy_value; /* as it was given, and behind its kind */
  bool exit_is_stop;
  char program_socket[SOCKET_PATH_BYTES_MAX + 1];
};
extern struct options options;

/* Reads argv; ends the process with EXIT_NOWHERE and a sentence when it can't be understood. */
void read_options(int argc, char **argv);
/* Fills in the placeholders, once the port and the socket are chosen. */
void fill_placeholders(void);

/* ---- listen.c ---- */

/* A listening socket, or ends the process: EXIT_NOWHERE with a sentence, EXIT_OCCUPIED when another instance answers. */
int open_listener(char *place, size_t place_bytes);
void close_listener(int listener);
void remove_program_socket(void);
/* The folder of the program's socket, below that of the app's; sets options.program_socket. */
void choose_program_socket(void);

/* ---- head.c: strict heads of HTTP/1.1; what is ambiguous is refused ---- */

struct text {
  const char *at;
  size_t bytes;
};
struct field {
  struct text name, value;
};
enum body_kind { BODY_NONE, BODY_LENGTH, BODY_CHUNKED, BODY_UNTIL_CLOSE };
struct head {
  struct text method, target, reason;
  int minor, status;
  struct field fields[FIELDS_MAX];
  size_t count;
  size_t bytes; /* of the whole head */
  enum body_kind body;
  uint64_t length;
  bool keep_alive, upgrade, expects_continue;
};
enum head_result { HEAD_PARTIAL, HEAD_WHOLE, HEAD_BAD };
struct fault {
  int status;
  const char *message;
};

/* The head at the start of these bytes; its texts point into them. */
enum head_result read_request(const char *at, size_t bytes, struct head *head, struct fault *fault);
/* `asked_head`: the request was HEAD, whose answer has no body. */
enum head_result read_response(const char *at, size_t bytes, bool asked_head, struct head *head, struct fault *fault);
bool is_text(struct text text, const char *word);          /* equal but for case */
bool is_token_char(unsigned char c);
bool has_letters_of(struct text name, const char *letters); /* equal without punctuation and case */
const struct field *find_field(const struct head *head, const char *name);
bool has_option(const struct head *head, const char *name, const char *option);

/* ---- framing.c: where a body ends ---- */

struct framing {
  enum body_kind kind;
  uint64_t left;
  int state;
  unsigned line_bytes, trailer_bytes, digits;
  bool done, bad;
};
void begin_framing(struct framing *framing, enum body_kind kind, uint64_t length);
/* How many of these bytes belong together; *drop: they are a trailer, which is not passed on. 0 with bytes > 0: done or bad. */
uint64_t raw_bytes(const struct framing *framing); /* that are certainly body, whatever they are */
size_t take_body(struct framing *framing, const char *at, size_t bytes, bool *drop);

/* ---- gate.c ---- */

/* Reads SVC_APP_TOKEN, and takes the tokens out of the environment. */
void read_token(void);
void forget_token(void);
bool gate_is_open(void);
bool gate_admits(const struct head *head);

/* ---- rewrite.c: the heads of the other side ---- */

struct buffer {
  char *bytes;
  size_t start, end, size;
};
bool add(struct buffer *buffer, const char *bytes, size_t count);
bool add_format(struct buffer *buffer, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* False when there is no memory. `user`: who asks, or ''. */
bool write_request(struct buffer *to, const struct head *head, bool upgrade, const char *user);
/* `authority`: the Host that the request came with. */
bool write_response(struct buffer *to, const struct head *head, bool close, const char *authority);
bool write_answer(struct buffer *to, int status, const char *more, const char *body, bool no_body, bool close);

/* ---- program.c ---- */

/* Starts it, with a guard that outlives nobody. */
void start_program(void);
void raise_descriptors(void);
/* -1 while it runs, else its exit code (128 + signal). */
int program_code(void);
void end_program(void);
void kill_program(void);
pid_t guard_pid(void);
/* Every descriptor from this one on. */
void close_from(int first);
void kill_all_below(void);
bool has_own_network(void);
/* A socket in the network of the program, where it stays whoever holds it; -1: none. */
int ask_socket(bool six);

/* ---- connect.c ---- */

enum connecting { CONNECTED, CONNECT_PENDING, CONNECT_AGAIN, CONNECT_REFUSED };
/* *to is -1 unless it is connected or on its way. */
enum connecting connect_program(int *to);
void look_after_ready(void);
extern bool program_ready;

/* ---- network.c ---- */

/* Puts this process, and what it starts, into a network of its own; ends it where that can't be. */
void enter_own_network(void);
void start_outgoing(pid_t whom);

/* ---- busy.c ---- */

void look_after_busy(int64_t now_ms);
const char *busy_words(void);
void busy_ended(pid_t child, int status);

/* ---- user.c ---- */

/* The account at the other end of a connection, where --user-header asks for it; '' for none. */
void name_peer(int client, char *name, size_t name_bytes);

/* ---- bytes.c: from one descriptor to another ---- */

/* Where a side brings much, its bytes go from socket to socket through a pipe, and are never copied into this process. */
struct pipe {
  int ends[2]; /* -1: none yet */
  size_t held;
  unsigned turns; /* left in this round: others wait, too */
  bool much, useless;
};
enum moved { MOVED, WAITS, ENDED, BROKEN };
size_t held(const struct buffer *buffer);
void free_buffer(struct buffer *buffer);
void free_pipe(struct pipe *pipe);
enum moved fill_from(int from, struct buffer *buffer, struct pipe *pipe, bool *ended);
enum moved send_from(int to, struct buffer *buffer, size_t count, size_t *sent);
/* Whether what comes next is body only, and much of it. */
bool is_raw(const struct pipe *pipe, const struct buffer *buffer, const struct framing *framing);
enum moved move_raw(int from, int to, struct pipe *pipe, struct framing *framing, bool *ended);

/* ---- relay.c: one connection of the portal ---- */

enum stage { STAGE_HEAD, STAGE_CONNECTING, STAGE_EXCHANGE, STAGE_TUNNEL, STAGE_LINGER };
struct connection {
  enum stage stage;
  int client, program; /* -1: none */
  struct buffer from_client, from_program, to_client, to_program;
  size_t client_pass, program_pass; /* bytes at the start of from_*, good to be passed on */
  struct framing request, response;
  struct pipe up, down;
  bool client_ended, program_ended, program_deaf, answered, asked_head, is_old, keep_alive, upgrade, head_read, closing, told_end;
  int64_t deadline_ms;
  int64_t head_since_ms;
  int64_t again_ms; /* when the program is tried again; 0: not */
  char authority[256], user[64];
  struct connection *next;
};
/* Ends the connection to the program, and all that is held of it. */
void close_program(struct connection *connection);
/* Sends what is left, then ends the connection. */
void linger(struct connection *connection, int64_t now_ms);
/* An answer of our own and the end, or, where part of an answer is out already, false. */
bool refuse_or_cut(struct connection *connection, int status, const char *message, int64_t now_ms);

struct connection *new_connection(int client, int64_t now_ms);
void wanted_events(const struct connection *connection, short *client, short *program);
/* When it is to be advanced without any event. */
int64_t wakes_at_ms(const struct connection *connection);
/* False: it is over. */
bool advance(struct connection *connection, short client, short program, int64_t now_ms);
bool is_idle(const struct connection *connection);
void drop_connection(struct connection *connection);

/* ---- exchange.c; both: false when the connection is over ---- */

bool exchange(struct connection *connection, bool *moved, int64_t now_ms);
bool tunnel(struct connection *connection, bool *moved);

/* ---- loop.c ---- */

int64_t now_ms(void);
int serve(int listener);
bool was_told_to_end(void); /* by a signal */
extern bool ending;

#endif
