/* The token gate. Source: rules 5; Decision: docs/decisions/0015 (one header of that very name; a twin or a look-alike refuses). */
#include "wrap.h"

#include <stdlib.h>
#include <string.h>

static char *token;
static size_t token_bytes;

/* The program must not find them: it is not asked to keep the secrets of the portal. */
static const char *const hidden[] = {"SVC_APP_TOKEN", "SVC_PORTAL_TOKEN", "SVC_PORTAL_URL", "SVC_PORTAL_SCOPES"};

void read_token(void) {
  const char *given = getenv("SVC_APP_TOKEN");
  if (given != NULL) {
    token = strdup(given);
    if (token == NULL) abort();
    token_bytes = strlen(token);
  }
  for (size_t at = 0; at < sizeof hidden / sizeof *hidden; at++) unsetenv(hidden[at]);
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
