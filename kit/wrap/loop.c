/* The loop: the listener, the connections, the clock, SIGTERM, the program's end. */
#include "wrap.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

bool ending;
static volatile sig_atomic_t signalled;
static struct connection *connections;
static int count;
static int64_t accept_again_ms; /* out of descriptors: those who wait in the queue are served as others leave */
static struct pollfd waits[1 + 2 * CONNECTIONS_MAX];

int64_t now_ms(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return (int64_t)at.tv_sec * 1000 + at.tv_nsec / 1000000 + 1;
}

bool was_told_to_end(void) { return signalled; }

static void on_signal(int number) {
  (void)number;
  signalled = 1;
}

static void accept_all(int listener, int64_t now) {
  while (count < CONNECTIONS_MAX) {
    int client = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK), yes = 1;
    if (client < 0) {
      if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED) accept_again_ms = now + ACCEPT_AGAIN_MS;
      return;
    }
    if (options.tcp != NULL) setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    struct connection *made = new_connection(client, now);
    if (made == NULL) {
      close(client);
      return;
    }
    made->next = connections;
    connections = made;
    count++;
  }
}

/* Two entries for each connection; a descriptor of -1 is passed over by poll. */
static nfds_t fill_waits(int listener, int64_t now, int *wait_ms) {
  nfds_t at = 1;
  int64_t until = now + *wait_ms;
  waits[0] = (struct pollfd){.fd = listener >= 0 && count < CONNECTIONS_MAX && now >= accept_again_ms ? listener : -1, .events = POLLIN};
  if (accept_again_ms > now && accept_again_ms < until) until = accept_again_ms;
  for (struct connection *each = connections; each != NULL; each = each->next) {
    short client = 0, program = 0;
    wanted_events(each, &client, &program);
    waits[at++] = (struct pollfd){.fd = each->client, .events = client};
    /* A connection that hung up would wake us again and again: asked only where there is something to do. */
    waits[at++] = (struct pollfd){.fd = program == 0 ? -1 : each->program, .events = program};
    if (wakes_at_ms(each) < until) until = wakes_at_ms(each);
  }
  *wait_ms = until <= now ? 0 : (int)(until - now);
  return at;
}

static void advance_all(int64_t now) {
  nfds_t at = 1;
  for (struct connection **link = &connections; *link != NULL; at += 2) {
    struct connection *each = *link;
    bool due = waits[at].revents != 0 || waits[at + 1].revents != 0 || now >= wakes_at_ms(each);
    if (!due || advance(each, waits[at].revents, waits[at + 1].revents, now)) {
      link = &each->next;
      continue;
    }
    *link = each->next;
    drop_connection(each);
    count--;
  }
}

/* Idle connections end at once; those with an answer under way have the grace. */
static void drop_idle(bool all) {
  for (struct connection **link = &connections; *link != NULL;) {
    struct connection *each = *link;
    if (!all && !is_idle(each)) {
      link = &each->next;
      continue;
    }
    *link = each->next;
    drop_connection(each);
    count--;
  }
}

/* They are let in only while we wait: none comes between a look and the wait after it. Answers the mask for the wait. */
static sigset_t heed_signals(void) {
  struct sigaction act = {.sa_handler = on_signal};
  sigset_t heeded, before;
  sigaction(SIGTERM, &act, NULL);
  sigaction(SIGINT, &act, NULL);
  sigemptyset(&heeded);
  sigaddset(&heeded, SIGTERM);
  sigaddset(&heeded, SIGINT);
  sigaddset(&heeded, SIGCHLD);
  sigprocmask(SIG_BLOCK, &heeded, &before);
  return before;
}

/* Until there is nothing left to answer, or the grace is over; then the program ends, if it did not already. */
int serve(int listener) {
  int64_t end_at = 0;
  sigset_t waiting = heed_signals();
  for (;;) {
    int64_t now = now_ms();
    int wait_ms = program_ready ? 60 * 1000 : READY_EVERY_MS;
    if (options.busy != BUSY_NEVER && wait_ms > BUSY_EVERY_MS) wait_ms = BUSY_EVERY_MS;
    if (ending && wait_ms > 20) wait_ms = 20;
    nfds_t entries = fill_waits(listener, now, &wait_ms);
    if (!ending && (signalled || program_code() >= 0)) wait_ms = 0;
    int found = ppoll(waits, entries, &(struct timespec){.tv_sec = wait_ms / 1000, .tv_nsec = wait_ms % 1000 * 1000000L}, &waiting);
    now = now_ms();
    if (found < 0) {
      for (nfds_t at = 0; at < entries; at++) waits[at].revents = 0;
      if (errno != EINTR) return EXIT_FAILED;
    }
    advance_all(now);
    if (listener >= 0 && waits[0].revents != 0) accept_all(listener, now);
    if (!ending) look_after_ready();
    look_after_busy(now);
    if (!ending && (signalled || program_code() >= 0)) {
      ending = true;
      end_at = now + END_GRACE_MS;
      close_listener(listener);
      listener = -1;
      if (program_code() < 0) end_program();
    }
    if (!ending) continue;
    drop_idle(now >= end_at);
    if (count == 0 && program_code() >= 0) return signalled ? 0 : program_code();
    if (now >= end_at + 1000) {
      kill_program();
      return signalled ? 0 : EXIT_FAILED;
    }
  }
}
