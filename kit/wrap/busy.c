/*
 * Whether work is under way that must not be lost: `ocupado` in /saude. While it is, a connection of our own to the app's socket stands open, which the
 * supervisor counts as use: `aoFechar: ocioso` does not end a busy app (rules 3.3 rule 3).
 */
#include "wrap.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ANSWER_BYTES_MAX = 1024 * 1024, DEPTH_MAX = 32 };

static bool busy;
static int64_t next_ms, asked_ms;
static pid_t asking = -1;
static int use = -1; /* the connection that stands for use */
static uint64_t ticks_before;

/* For /saude: `,"ocupado":true,"ocupadoPor":"cpu:20%"`; empty without --busy. */
const char *busy_words(void) {
  static char words[2 * BUSY_WORD_BYTES_MAX + 64];
  if (options.busy == BUSY_NEVER) return "";
  if (!busy) return ",\"ocupado\":false";
  char *to = stpcpy(words, ",\"ocupado\":true,\"ocupadoPor\":\"");
  for (const char *at = options.busy_word; *at != 0 && at < options.busy_word + BUSY_WORD_BYTES_MAX; at++) {
    if (*at == '"' || *at == '\\') *to++ = '\\';
    *to++ = *at >= ' ' && *at <= '~' ? *at : '?';
  }
  strcpy(to, "\"");
  return words;
}

static void hold_use(bool wanted) {
  struct pollfd gone = {.fd = use, .events = POLLIN};
  if (use >= 0 && (!wanted || poll(&gone, 1, 0) > 0)) {
    close(use);
    use = -1;
  }
  if (!wanted || use >= 0 || options.tcp != NULL) return;
  struct sockaddr_un here = {.sun_family = AF_UNIX};
  snprintf(here.sun_path, sizeof here.sun_path, "%s", getenv("SVC_APP_SOCKET"));
  use = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (use < 0 || connect(use, (struct sockaddr *)&here, sizeof here) == 0) return;
  close(use);
  use = -1;
}

static void decide(bool found) {
  if (busy != found) say(found ? "ocupado" : "não está mais ocupado");
  busy = found;
}

/* ---- an answer of the program, which contains a text ---- */

static void __attribute__((noreturn)) ask_answer(int program) {
  const char *tilde = strchr(options.busy_value, '~'), *text = tilde == NULL ? "" : tilde + 1;
  int path_bytes = tilde == NULL ? (int)strlen(options.busy_value) : (int)(tilde - options.busy_value);
  /* A connection of the portal that ends meanwhile must end. */
  program = dup2(program, STDERR_FILENO + 1);
  close_from(program + 1);
  fcntl(program, F_SETFL, 0);
  struct pollfd connected = {.fd = program, .events = POLLOUT};
  poll(&connected, 1, BUSY_ASK_MS);
  dprintf(program, "GET %s%.*s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nConnection: close\r\n\r\n", options.prefix_kept ? about.base : "/", path_bytes - 1,
          options.busy_value + 1, options.port);
  char *answer = malloc(ANSWER_BYTES_MAX);
  size_t bytes = 0;
  for (ssize_t got; answer != NULL && bytes < ANSWER_BYTES_MAX; bytes += (size_t)got)
    if ((got = read(program, answer + bytes, ANSWER_BYTES_MAX - bytes)) <= 0) break;
  bool right = bytes > 12 && answer[9] == '2';
  _exit(right && memmem(answer, bytes, text, strlen(text)) != NULL ? 0 : 1);
}

/* In a child, which has some seconds: 0 is busy, another code is not. */
static void ask(void) {
  int program = -1;
  if (options.busy == BUSY_ANSWER) connect_program(&program);
  if (options.busy == BUSY_ANSWER && program < 0) return; /* as it was: it does not take this one now */
  asking = fork();
  if (asking != 0) {
    if (program >= 0) close(program);
    return;
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  setpgid(0, 0);
  signal(SIGTERM, SIG_DFL);
  if (program >= 0) ask_answer(program);
  execl("/bin/sh", "sh", "-c", options.busy_value, (char *)NULL);
  _exit(127);
}

void busy_ended(pid_t child, int status) {
  if (child != asking) return;
  asking = -1;
  /* A child that was killed, as by its time, answered nothing: it stays as it was. A program that works may not answer. */
  if (WIFEXITED(status)) decide(WEXITSTATUS(status) == 0);
}

/* ---- the processor time of the program and what it started ---- */

static uint64_t ticks_of(pid_t pid) {
  char path[64], text[1024], *after;
  unsigned long user = 0, kernel = 0;
  snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
  FILE *file = fopen(path, "re");
  size_t bytes = file == NULL ? 0 : fread(text, 1, sizeof text - 1, file);
  if (file != NULL) fclose(file);
  text[bytes] = 0;
  if ((after = strrchr(text, ')')) == NULL) return 0;
  if (sscanf(after + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &kernel) != 2) return 0;
  return user + kernel;
}

static uint64_t ticks_below(pid_t pid, int depth) {
  char path[64], word[16];
  uint64_t ticks = 0;
  snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
  FILE *file = depth > DEPTH_MAX ? NULL : fopen(path, "re");
  if (file == NULL) return 0;
  while (fscanf(file, "%15s", word) == 1) ticks += ticks_of(atoi(word)) + ticks_below(atoi(word), depth + 1);
  fclose(file);
  return ticks;
}

static void measure(int64_t passed_ms) {
  uint64_t now = ticks_below(guard_pid(), 0), spent = now > ticks_before ? now - ticks_before : 0;
  if (ticks_before > 0 && passed_ms > 0) decide(spent * 100 * 1000 / (uint64_t)sysconf(_SC_CLK_TCK) >= (uint64_t)atoi(options.busy_value) * (uint64_t)passed_ms);
  ticks_before = now;
}

void look_after_busy(int64_t now) {
  if (options.busy == BUSY_NEVER || !program_ready) return;
  if (asking > 0 && now - asked_ms > BUSY_ASK_MS) kill(-asking, SIGKILL);
  if (now < next_ms || asking > 0) return;
  if (options.busy == BUSY_CPU) measure(now - asked_ms);
  else ask();
  asked_ms = now;
  next_ms = now + BUSY_EVERY_MS;
  hold_use(busy);
}
