/* The way to the program: its unix socket, or its port on 127.0.0.1 or ::1 in the network that it has. */
#include "wrap.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool program_ready;
static int probe = -1;
static bool six; /* a program that listens on `localhost` may mean ::1 alone: found by the probe */

static int new_socket(void) {
  if (has_own_network()) return ask_socket(six);
  return socket(!options.by_port ? AF_UNIX : six ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

static int connect_to(int to) {
  in_port_t port = htons((uint16_t)options.port);
  if (!options.by_port) {
    struct sockaddr_un by_name = {.sun_family = AF_UNIX};
    strcpy(by_name.sun_path, options.program_socket);
    return connect(to, (const struct sockaddr *)&by_name, sizeof by_name);
  }
  if (six) return connect(to, (const struct sockaddr *)&(struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_port = port, .sin6_addr = in6addr_loopback}, sizeof(struct sockaddr_in6));
  return connect(to, (const struct sockaddr *)&(struct sockaddr_in){.sin_family = AF_INET, .sin_port = port, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)}, sizeof(struct sockaddr_in));
}

enum connecting connect_program(int *to) {
  int yes = 1;
  *to = new_socket();
  if (*to < 0) return CONNECT_REFUSED;
  if (options.by_port) setsockopt(*to, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  if (connect_to(*to) == 0) return CONNECTED;
  int fault = errno;
  if (fault == EINPROGRESS) return CONNECT_PENDING;
  close(*to);
  *to = -1;
  /* The queue of a unix socket is full: nobody tells when there is room in it. */
  return fault == EAGAIN ? CONNECT_AGAIN : CONNECT_REFUSED;
}

static bool has_connected(void) {
  int fault = 0;
  socklen_t bytes = sizeof fault;
  struct pollfd done = {.fd = probe, .events = POLLOUT};
  poll(&done, 1, 0);
  return getsockopt(probe, SOL_SOCKET, SO_ERROR, &fault, &bytes) == 0 && fault == 0 && (done.revents & POLLOUT) != 0 && (done.revents & POLLERR) == 0;
}

/* Until it takes a connection, it is not ready. Called every READY_EVERY_MS, which is enough for a connection on loopback. */
void look_after_ready(void) {
  if (program_ready) return;
  enum connecting result = connect_program(&probe);
  program_ready = result == CONNECTED || result == CONNECT_AGAIN || (result == CONNECT_PENDING && has_connected());
  if (probe >= 0) close(probe);
  if (!program_ready) {
    six = options.by_port && !six;
    return;
  }
  if (!options.by_port) chmod(options.program_socket, 0600);
  say("o programa atende");
}
