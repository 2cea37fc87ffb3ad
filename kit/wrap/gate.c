/* The token gate. Source: rules 5; Decision: docs/decisions/0015 (one header of that very name; a twin or a look-alike refuses). */
#include "wrap.h"

#include <stdlib.h>
#include <string.h>

static char *token;
static size_t token_bytes;
static char *given_token; /* where the environment of this process holds it */

/* The program must not find them: it is not asked to keep the secrets of the portal. */
static const char *const hidden[] = {"SVC_APP_TOKEN", "SVC_PORTAL_TOKEN", "SVC_PORTAL_URL", "SVC_PORTAL_SCOPES"};

void read_token(void) {
  given_token = getenv("SVC_APP_TOKEN");
  if (given_token != NULL) {
    token = strdup(given_token);
    if (token == NULL) abort();
    token_bytes = strlen(token);
  }
  for (size_t at = 0; at < sizeof hidden / sizeof *hidden; at++) unsetenv(hidden[at]);
}

/* In a child that shares the program's network: what the program can read of it has no token. The wrapper's own environment keeps it, as the
 * supervisor and the installer look for it there. */
void forget_token(void) {
  if (token == NULL) return;
  explicit_bzero(token, token_bytes);
  explicit_bzero(given_token, token_bytes);
}

bool gate_is_open(void) { return token == NULL; }

/* In a time that says nothing about where they differ. */
static bool is_token(struct text given) {
  unsigned char differ = given.bytes != token_bytes;
  for (size_t at = 0; at < token_bytes; at++) differ |= (unsigned char)token[at] ^ (unsigned char)(given.bytes == 0 ? 0 : given.at[at % given.bytes]);
  return differ == 0;
}

bool gate_admits(const struct head *head) {
  if (token == NULL) return true;
  const struct field *found = NULL;
  for (size_t at = 0; at < head->count; at++) {
    if (!has_letters_of(head->fields[at].name, "xsvcapptoken")) continue;
    if (found != NULL || !is_text(head->fields[at].name, "x-svc-app-token")) return false;
    found = &head->fields[at];
  }
  return found != NULL && token_bytes > 0 && is_token(found->value);
}
