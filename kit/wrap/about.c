/* Identity of the app, by the environment of the launcher and svc-app.json. The rules are those of sdk/python/svc/_app.py. */
#include "wrap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MANIFEST_BYTES_MAX = 256 * 1024, FOLDERS_ABOVE_MAX = 8 };

struct about about = {.id = "dev", .version = "dev", .base = "/"};

void say(const char *format, ...) {
  char line[2048];
  va_list parts;
  va_start(parts, format);
  int bytes = vsnprintf(line, sizeof line, format, parts);
  va_end(parts);
  if (bytes < 0) return;
  dprintf(STDERR_FILENO, "[%s] %s\n", about.id, line);
}

/* The whole file with a 0 behind it, or NULL. */
static char *read_file(const char *path) {
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat found;
  if (file < 0) return NULL;
  char *text = NULL;
  size_t read_bytes = 0;
  if (fstat(file, &found) == 0 && S_ISREG(found.st_mode) && found.st_size <= MANIFEST_BYTES_MAX && (text = malloc((size_t)found.st_size + 1)) != NULL) {
    for (ssize_t got; read_bytes < (size_t)found.st_size; read_bytes += (size_t)got)
      if ((got = read(file, text + read_bytes, (size_t)found.st_size - read_bytes)) <= 0) break;
    text[read_bytes] = 0;
  }
  close(file);
  return text;
}

/* Past the string that begins at this quote. */
static const char *after_string(const char *at) {
  for (at++; *at != 0 && *at != '"'; at++)
    if (*at == '\\' && at[1] != 0) at++;
  return *at == 0 ? at : at + 1;
}

/* The text of a field at the root of a JSON object; false where it is none, or has an escape. */
static bool root_text(const char *json, const char *name, char *value, size_t value_bytes) {
  int depth = 0;
  size_t name_bytes = strlen(name);
  for (const char *at = json; *at != 0;) {
    if (*at != '"') {
      depth += (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
      at++;
      continue;
    }
    const char *word = at + 1;
    at = after_string(at);
    if (depth != 1 || strncmp(word, name, name_bytes) != 0 || word[name_bytes] != '"') continue;
    at += strspn(at, " \t\r\n");
    if (*at != ':') continue;
    at += 1 + strspn(at + 1, " \t\r\n");
    if (*at != '"') return false;
    size_t bytes = strcspn(at + 1, "\"\\");
    if (at[1 + bytes] != '"' || bytes >= value_bytes) return false;
    memcpy(value, at + 1, bytes);
    value[bytes] = 0;
    return true;
  }
  return false;
}

static bool is_made_of(const char *text, const char *also, size_t bytes_max) {
  size_t bytes = strlen(text);
  if (bytes == 0 || bytes > bytes_max) return false;
  for (const char *at = text; *at != 0; at++)
    if (!((*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || (*at >= '0' && *at <= '9')) && strchr(also, *at) == NULL) return false;
  return true;
}

static bool is_id(const char *text) {
  for (const char *at = text; *at != 0; at++)
    if (*at >= 'A' && *at <= 'Z') return false;
  return is_made_of(text, "-", 49);
}

/* svc-app.json at or above the folder that the launcher started us in, which is the package's. */
static char *find_manifest(void) {
  char folder[PATH_BYTES], file[PATH_BYTES + 16];
  if (getcwd(folder, sizeof folder) == NULL) return NULL;
  for (int above = 0; above < FOLDERS_ABOVE_MAX; above++) {
    snprintf(file, sizeof file, "%s/svc-app.json", folder);
    char *text = read_file(file);
    if (text != NULL) {
      strcpy(about.package, folder);
      return text;
    }
    char *slash = strrchr(folder, '/');
    if (slash == NULL || slash == folder) return NULL;
    *slash = 0;
  }
  return NULL;
}

static bool is_base(const char *path) {
  size_t bytes = strlen(path);
  return bytes < sizeof about.base && path[0] == '/' && path[bytes - 1] == '/' && is_made_of(path, "/._~-", bytes) && strstr(path, "/../") == NULL &&
         strstr(path, "/./") == NULL && strstr(path, "//") == NULL;
}

void read_about(void) {
  char *manifest = find_manifest();
  const char *id = getenv("SVC_APP_ID"), *base = getenv("SVC_APP_BASE_PATH"), *data = getenv("SVC_APP_DATA_DIR"), *home = getenv("HOME");
  char found[sizeof about.version] = "";
  if (id != NULL && is_id(id)) snprintf(about.id, sizeof about.id, "%s", id);
  else if (manifest != NULL && root_text(manifest, "id", found, sizeof found) && is_id(found)) snprintf(about.id, sizeof about.id, "%.49s", found);
  const char *hash = getenv("SVC_APP_INSTALLED_HASH");
  if (manifest != NULL && hash != NULL && *hash != 0 && root_text(manifest, "version", found, sizeof found) && is_made_of(found, ".-+_", 128))
    strcpy(about.version, found);
  if (manifest != NULL && root_text(manifest, "escopo", found, sizeof found)) about.server_scope = strcmp(found, "servidor") == 0;
  if (base != NULL && is_base(base)) strcpy(about.base, base);
  if (data != NULL && *data != 0) snprintf(about.data, sizeof about.data, "%s", data);
  else snprintf(about.data, sizeof about.data, "%s/.svc-apps/%s/data", home == NULL ? "" : home, about.id);
  free(manifest);
}

/* Each folder of the path that is not there, with mode 0700. */
bool make_folders(const char *path) {
  char part[PATH_BYTES];
  if (strlen(path) >= sizeof part) return false;
  strcpy(part, path);
  for (char *slash = part; (slash = strchr(slash + 1, '/')) != NULL; *slash = '/') {
    *slash = 0;
    if (mkdir(part, 0700) < 0 && errno != EEXIST && errno != EROFS && errno != EACCES) return false;
  }
  return mkdir(part, 0700) == 0 || errno == EEXIST;
}
