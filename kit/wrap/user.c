/*
 * The person who asks is the account that the kernel names at the other end of the app's socket: the portal connects as the person's own account
 * (rules 5). Nothing that a client writes counts. Decision: docs/decisions/0430-svc-wrap.md
 */
#include "wrap.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A name is asked for again after an hour, one that was not found after a minute: an account without one must not hold others up. */
enum { KNOWN_MAX = 64, NAME_BYTES = 64, KNOWN_MS = 60 * 60 * 1000, UNKNOWN_MS = 60 * 1000 };
static struct {
  uid_t user;
  char name[NAME_BYTES]; /* '': none was found */
  int64_t until_ms;
} known[KNOWN_MAX];
static size_t known_count;

static bool is_name(const char *name) {
  if (!isalnum((unsigned char)*name) && *name != '_') return false;
  for (; *name != 0; name++)
    if (!isalnum((unsigned char)*name) && strchr("_.@-", *name) == NULL) return false;
  return true;
}

/* The name of `name:x:uid:…`. */
static bool read_line(char *line, uid_t user, char *name) {
  char *second = strchr(line, ':'), *third = second == NULL ? NULL : strchr(second + 1, ':'), *end = NULL;
  if (third == NULL || strtoul(third + 1, &end, 10) != user || *end != ':' || second - line >= NAME_BYTES) return false;
  *second = 0;
  strcpy(name, line);
  return is_name(name);
}

static bool find_in(FILE *from, uid_t user, char *name) {
  char line[1024];
  bool found = false;
  while (!found && fgets(line, sizeof line, from) != NULL) found = read_line(line, user, name);
  return found;
}

/* Accounts of a directory are in no file: getent knows them. */
static bool find_name(uid_t user, char *name) {
  FILE *accounts = fopen("/etc/passwd", "re");
  bool found = accounts != NULL && find_in(accounts, user, name);
  if (accounts != NULL) fclose(accounts);
  if (found) return true;
  char command[64];
  snprintf(command, sizeof command, "timeout -s KILL 5 getent passwd %u 2>/dev/null", user);
  FILE *asked = popen(command, "re");
  found = asked != NULL && find_in(asked, user, name);
  if (asked != NULL) pclose(asked);
  return found;
}

/* '' for nobody: the wrapper's own account and root in server scope are the portal's or the app's, and no person. */
void name_peer(int client, char *name, size_t name_bytes) {
  struct ucred peer;
  socklen_t bytes = sizeof peer;
  *name = 0;
  if (options.user_header == NULL || options.tcp != NULL || getsockopt(client, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) < 0) return;
  if (about.server_scope ? peer.uid == 0 || peer.uid == geteuid() : peer.uid != geteuid()) return;
  size_t at = 0;
  while (at < known_count && known[at].user != peer.uid) at++;
  if (at == known_count) at = known_count < KNOWN_MAX ? known_count++ : peer.uid % KNOWN_MAX;
  if (known[at].user != peer.uid || now_ms() >= known[at].until_ms) {
    known[at].user = peer.uid;
    if (!find_name(peer.uid, known[at].name)) *known[at].name = 0;
    known[at].until_ms = now_ms() + (*known[at].name == 0 ? UNKNOWN_MS : KNOWN_MS);
  }
  snprintf(name, name_bytes, "%s", known[at].name);
}
