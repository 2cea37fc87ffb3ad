/* svc-wrap [options] -- COMMAND… */
#include "wrap.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

/* In a network of its own any port is free. */
enum { OWN_PORT = 8080 };

static unsigned free_port(void) {
  struct sockaddr_in any = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t bytes = sizeof any;
  int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  bool found = probe >= 0 && bind(probe, (struct sockaddr *)&any, sizeof any) == 0 && getsockname(probe, (struct sockaddr *)&any, &bytes) == 0;
  if (probe >= 0) close(probe);
  return found ? ntohs(any.sin_port) : OWN_PORT;
}

static void choose_address(void) {
  if (!options.by_port) {
    choose_program_socket();
    return;
  }
  if (options.network == NETWORK_HOST) {
    if (options.port == 0) options.port = free_port();
    say("atenção: --network host: qualquer conta desta máquina alcança o programa na porta %u, sem token", options.port);
    return;
  }
  if (options.port == 0) options.port = OWN_PORT;
}

/* The program was ended from within: without the file of the wish nobody starts it again (rules 2.6). The other file says that it was us. */
static void leave_stopped(void) {
  char wish[PATH_BYTES], mark[PATH_BYTES];
  const char *socket = getenv("SVC_APP_SOCKET"), *slash = socket == NULL ? NULL : strrchr(socket, '/');
  if (!options.exit_is_stop || options.tcp != NULL || about.server_scope || slash == NULL) return;
  snprintf(wish, sizeof wish, "%.*s/env", (int)(slash - socket), socket);
  snprintf(mark, sizeof mark, "%.*s/encerrado", (int)(slash - socket), socket);
  int made = open(mark, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (made >= 0) close(made);
  if (unlink(wish) == 0) say("o programa foi encerrado por dentro: o app fica parado");
}

int main(int argc, char **argv) {
  char place[160];
  signal(SIGPIPE, SIG_IGN);
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  read_about();
  read_options(argc, argv);
  read_token();
  int listener = open_listener(place, sizeof place);
  choose_address();
  fill_placeholders();
  raise_descriptors();
  make_folders(about.data);
  start_program();
  printf("[%s] versão %s escutando em %s\n", about.id, about.version, place);
  fflush(stdout);
  int code = serve(listener);
  kill_all_below();
  remove_program_socket();
  if (code == 0 && !was_told_to_end()) leave_stopped();
  if (code != 0) say("o programa terminou com %d", code);
  return code;
}
