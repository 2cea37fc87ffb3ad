/* Where the app listens. Source: rules 3.1 step 3, 4.4, 5, 7 (exit codes); the messages are those of sdk/python/svc/_listen.py. */
#include "wrap.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct sockaddr_un here = {.sun_family = AF_UNIX};
static struct stat ours; /* the socket that we made */

static void __attribute__((noreturn, format(printf, 1, 2))) nowhere(const char *format, ...) {
  char line[PATH_BYTES];
  va_list parts;
  va_start(parts, format);
  vsnprintf(line, sizeof line, format, parts);
  va_end(parts);
  say("%s", line);
  exit(EXIT_NOWHERE);
}

static void __attribute__((noreturn)) occupied(void) {
  say("outra instância já atende em %s", here.sun_path);
  exit(EXIT_OCCUPIED);
}

/* host:port, with the host as a number or `localhost`: a static program has no resolver. */
static bool read_address(const char *text, struct sockaddr_storage *to, socklen_t *bytes) {
  const char *colon = strrchr(text, ':');
  size_t digits = colon == NULL ? 0 : strlen(colon + 1), host_bytes = colon == NULL ? 0 : (size_t)(colon - text);
  char host[64];
  if (digits < 1 || digits > 5 || strspn(colon + 1, "0123456789") != digits || host_bytes == 0 || host_bytes >= sizeof host) return false;
  long port = strtol(colon + 1, NULL, 10);
  if (port > 65535) return false;
  memcpy(host, text, host_bytes);
  host[host_bytes] = 0;
  if (strcmp(host, "localhost") == 0) strcpy(host, "127.0.0.1");
  struct sockaddr_in *four = (struct sockaddr_in *)to;
  struct sockaddr_in6 *six = (struct sockaddr_in6 *)to;
  memset(to, 0, sizeof *to);
  if (host[0] == '[' && host[host_bytes - 1] == ']') {
    host[host_bytes - 1] = 0;
    *bytes = sizeof *six;
    six->sin6_family = AF_INET6;
    six->sin6_port = htons((uint16_t)port);
    return inet_pton(AF_INET6, host + 1, &six->sin6_addr) == 1;
  }
  *bytes = sizeof *four;
  four->sin_family = AF_INET;
  four->sin_port = htons((uint16_t)port);
  return inet_pton(AF_INET, host, &four->sin_addr) == 1;
}

static void name_address(const struct sockaddr_storage *address, char *place, size_t place_bytes) {
  char host[64] = "";
  const struct sockaddr_in *four = (const struct sockaddr_in *)address;
  const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)address;
  bool is_six = address->ss_family == AF_INET6, local;
  inet_ntop(address->ss_family, is_six ? (const void *)&six->sin6_addr : (const void *)&four->sin_addr, host, sizeof host);
  local = is_six ? strcmp(host, "::1") == 0 : strncmp(host, "127.", 4) == 0;
  snprintf(place, place_bytes, is_six ? "[%s]:%u" : "%s:%u", host, ntohs(is_six ? six->sin6_port : four->sin_port));
  if (!local && gate_is_open()) dprintf(STDERR_FILENO, "svc: atenção: sem SVC_APP_TOKEN e fora de 127.0.0.1, qualquer um na rede alcança este app\n");
}

static int open_tcp(const char *text, char *place, size_t place_bytes) {
  struct sockaddr_storage address;
  socklen_t bytes = 0;
  if (!read_address(text, &address, &bytes)) nowhere("--tcp espera host:porta (o host em números), veio '%s'", text);
  int listener = socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), yes = 1;
  if (listener < 0) nowhere("não foi possível escutar: %s", strerror(errno));
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (bind(listener, (struct sockaddr *)&address, bytes) < 0 || listen(listener, LISTEN_BACKLOG) < 0 ||
      getsockname(listener, (struct sockaddr *)&address, &bytes) < 0)
    nowhere("não foi possível escutar: %s", strerror(errno));
  name_address(&address, place, place_bytes);
  return listener;
}

/* The folder belongs to this account alone (rules 5). A shared one such as /tmp is refused, never changed. */
static void make_private(const char *folder) {
  struct stat found;
  if (!make_folders(folder) || stat(folder, &found) < 0) nowhere("não foi possível escutar: %s: %s", folder, strerror(errno));
  if (found.st_uid != geteuid() || (found.st_mode & S_ISVTX) != 0 || !S_ISDIR(found.st_mode)) nowhere("a pasta do socket não é só desta conta: %s", folder);
  if ((found.st_mode & 077) != 0 && chmod(folder, 0700) < 0) nowhere("não foi possível escutar: %s: %s", folder, strerror(errno));
}

/* A refused connection tells an orphan from a live socket (rules 3.1 step 3); what is no socket is never deleted. */
static void clear_orphan(void) {
  int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), fault = 0;
  if (probe < 0) nowhere("não foi possível escutar: %s", strerror(errno));
  if (connect(probe, (struct sockaddr *)&here, sizeof here) < 0) fault = errno;
  close(probe);
  struct stat found;
  if (fault == ENOENT) return;
  if (fault == 0 || fault == EAGAIN || fault == EINPROGRESS) occupied();
  if (fault != ECONNREFUSED || lstat(here.sun_path, &found) < 0 || !S_ISSOCK(found.st_mode)) nowhere("há algo que não é um socket em %s", here.sun_path);
  if (unlink(here.sun_path) < 0 && errno != ENOENT) nowhere("não foi possível escutar: %s", strerror(errno));
}

static void folder_of(const char *path, char *folder) {
  strcpy(folder, path);
  char *slash = strrchr(folder, '/');
  slash[slash == folder] = 0;
}

static int open_unix(const char *path) {
  char folder[PATH_BYTES];
  if (path == NULL || *path == 0) nowhere("sem onde escutar: falta SVC_APP_SOCKET (ou --tcp host:porta na bancada)");
  if (path[0] != '/') nowhere("SVC_APP_SOCKET precisa ser um caminho absoluto");
  if (strlen(path) > SOCKET_PATH_BYTES_MAX) nowhere("SVC_APP_SOCKET passa de %d bytes", SOCKET_PATH_BYTES_MAX);
  strcpy(here.sun_path, path);
  folder_of(path, folder);
  if (!about.server_scope) make_private(folder); /* rules 5: an app of server scope accepts every account */
  clear_orphan();
  int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  mode_t before = umask(about.server_scope ? 0111 : 0177); /* before bind: never wider than 0600, not for an instant */
  int fault = listener < 0 || bind(listener, (struct sockaddr *)&here, sizeof here) < 0 ? errno : 0;
  umask(before);
  if (fault == EADDRINUSE) occupied();
  if (fault != 0 || listen(listener, LISTEN_BACKLOG) < 0) nowhere("não foi possível escutar: %s", strerror(fault != 0 ? fault : errno));
  lstat(here.sun_path, &ours);
  return listener;
}

int open_listener(char *place, size_t place_bytes) {
  if (options.tcp != NULL) return open_tcp(options.tcp, place, place_bytes);
  int listener = open_unix(getenv("SVC_APP_SOCKET"));
  snprintf(place, place_bytes, "%s", here.sun_path);
  return listener;
}

void close_listener(int listener) {
  struct stat now;
  /* Another instance may have made its own there. */
  if (options.tcp == NULL && lstat(here.sun_path, &now) == 0 && now.st_ino == ours.st_ino && now.st_dev == ours.st_dev) unlink(here.sun_path);
  close(listener);
}

void choose_program_socket(void) {
  char folder[PATH_BYTES];
  if (options.tcp != NULL) {
    strcpy(folder, "/tmp/svc-wrap-XXXXXX");
    if (mkdtemp(folder) == NULL) nowhere("não foi possível fazer a pasta do programa: %s", strerror(errno));
  } else {
    folder_of(here.sun_path, folder);
    strcat(folder, "/wrap");
    make_private(folder);
  }
  if (snprintf(options.program_socket, sizeof options.program_socket, "%s/p.sock", folder) >= (int)sizeof options.program_socket)
    nowhere("o caminho do socket do programa passa de %d bytes", SOCKET_PATH_BYTES_MAX);
  unlink(options.program_socket);
}

void remove_program_socket(void) {
  if (options.by_port) return;
  unlink(options.program_socket);
  if (options.tcp == NULL) return;
  char folder[PATH_BYTES];
  folder_of(options.program_socket, folder);
  rmdir(folder);
}
