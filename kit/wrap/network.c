/*
 * A network of one's own: no other account of the machine has a way to a port in it. The guard and the program are in it, the wrapper is not: it
 * gets from the guard a socket that was made there, and such a socket stays in its network whoever holds it. Decision: docs/decisions/0431-a-network-of-its-own.md
 */
#include "wrap.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

static void __attribute__((noreturn)) no_network(const char *what) {
  say("não foi possível dar uma rede própria ao programa (%s: %s); use {socket}, ou --network host se outras contas podem alcançar a porta", what,
      strerror(errno));
  exit(EXIT_NOWHERE);
}

static void write_text(const char *path, const char *text) {
  int file = open(path, O_WRONLY | O_CLOEXEC);
  ssize_t written = file < 0 ? -1 : write(file, text, strlen(text));
  if (file >= 0) close(file);
  if (written < 0) no_network(path);
}

static void raise_loopback(void) {
  int any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  struct ifreq loopback = {.ifr_name = "lo", .ifr_flags = IFF_UP};
  if (any < 0 || ioctl(any, SIOCSIFFLAGS, &loopback) < 0) no_network("lo");
  close(any);
}

void enter_own_network(void) {
  uid_t user = geteuid();
  gid_t group = getegid();
  char map[64];
  if (unshare(CLONE_NEWUSER | CLONE_NEWNET) < 0) no_network("unshare");
  write_text("/proc/self/setgroups", "deny");
  snprintf(map, sizeof map, "%u %u 1", user, user);
  write_text("/proc/self/uid_map", map);
  snprintf(map, sizeof map, "%u %u 1", group, group);
  write_text("/proc/self/gid_map", map);
  raise_loopback();
}

/* pasta or slirp4netns give the network of `whom` a way out and none in. They end with the wrapper. */
void start_outgoing(pid_t whom) {
  pid_t outgoing = fork();
  if (outgoing != 0) return;
  char pid[16];
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  signal(SIGPIPE, SIG_DFL); /* pasta of 2023 takes an ignored one for a fault */
  snprintf(pid, sizeof pid, "%d", (int)whom);
  execlp("pasta", "pasta", "--quiet", "--config-net", "--foreground", "--no-map-gw", "-t", "none", "-u", "none", "-T", "none", "-U", "none", pid, (char *)NULL);
  execlp("slirp4netns", "slirp4netns", "--configure", "--mtu=65520", "--disable-host-loopback", pid, "tap0", (char *)NULL);
  say("sem pasta nem slirp4netns nesta máquina: o programa não alcança a rede de fora");
  _exit(0);
}
