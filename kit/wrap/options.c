/* The command line, and the placeholders of the program's own. */
#include "wrap.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct options options = {.network = NETWORK_OWN};

static const char usage[] =
    "uso: svc-wrap [opções] -- COMANDO…\n"
    "  o programa escuta em {socket} (um socket 0600) ou em {port} (numa rede só dele)\n"
    "  {socket} {port} {base} {origin} {data} {home} {pkg}  trocados em COMANDO e em --env\n"
    "  --env NOME=VALOR         uma variável do programa (repetível)\n"
    "  --port N                 a porta que o programa usa, quando não a recebe\n"
    "  --network own|host       a rede da porta; host: a desta máquina, onde outras contas a alcançam\n"
    "  --prefix strip|keep      keep: o programa vê o caminho com {base} na frente\n"
    "  --host as-is|local       local: Host e Origin dizem 127.0.0.1\n"
    "  --user-header NOME       o programa recebe nele a conta de quem pede\n"
    "  --busy answer:/CAMINHO~TEXTO | script:COMANDO | cpu:N%   quando /saude diz ocupado\n"
    "  --exit-is-stop           o programa que termina com 0 foi encerrado, e não volta\n"
    "  --tcp host:porta         numa bancada\n"
    "  --version, --help\n";

static void __attribute__((noreturn, format(printf, 1, 2))) wrong(const char *format, ...) {
  char line[1024];
  va_list parts;
  va_start(parts, format);
  vsnprintf(line, sizeof line, format, parts);
  va_end(parts);
  say("%s; svc-wrap --help diz o uso", line);
  exit(EXIT_NOWHERE);
}

/* The value of an option that has one: `--name value` or `--name=value`. */
static const char *value_of(const char *name, int argc, char **argv, int *at) {
  const char *word = argv[*at];
  size_t bytes = strlen(name);
  if (strncmp(word, name, bytes) != 0) return NULL;
  if (word[bytes] == '=') return word + bytes + 1;
  if (word[bytes] != 0) return NULL;
  if (*at + 1 >= argc) wrong("%s espera um valor", name);
  return argv[++*at];
}

static void read_busy(const char *value) {
  static const struct {
    const char *word;
    enum busy_kind kind;
  } kinds[] = {{"answer:/", BUSY_ANSWER}, {"script:", BUSY_SCRIPT}, {"cpu:", BUSY_CPU}};
  for (size_t at = 0; at < sizeof kinds / sizeof *kinds; at++) {
    if (strncmp(value, kinds[at].word, strlen(kinds[at].word)) != 0) continue;
    options.busy = kinds[at].kind;
    options.busy_word = value;
    options.busy_value = strchr(value, ':') + 1;
    if (*options.busy_value != 0 && (options.busy != BUSY_CPU || atoi(options.busy_value) > 0)) return;
  }
  wrong("--busy espera answer:/caminho~texto, script:comando ou cpu:N%%, veio '%s'", value);
}

static void read_user_header(const char *value) {
  size_t bytes = strspn(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-");
  if (bytes == 0 || bytes > 64 || value[bytes] != 0) wrong("--user-header espera o nome de um cabeçalho, veio '%s'", value);
  options.user_header = value;
}

static bool is_one(const char *value, const char *name, const char *first, const char *second) {
  if (strcmp(value, first) == 0) return true;
  if (strcmp(value, second) != 0) wrong("%s espera %s ou %s, veio '%s'", name, first, second, value);
  return false;
}

static void read_port(const char *value) {
  char *end = NULL;
  unsigned long port = strtoul(value, &end, 10);
  if (*value < '0' || *value > '9' || *end != 0 || port < 1 || port > 65535) wrong("--port espera um número de 1 a 65535, veio '%s'", value);
  options.port = (unsigned)port;
  options.by_port = true;
}

static void add_set(const char *pair) {
  static size_t count;
  if (strchr(pair, '=') == NULL || *pair == '=') wrong("--env espera NOME=VALOR, veio '%s'", pair);
  options.set = realloc(options.set, (count + 2) * sizeof *options.set);
  if (options.set == NULL) abort();
  options.set[count++] = pair;
  options.set[count] = NULL;
}

/* Reads an option that has a value; false where this word is none. */
static bool read_valued(int argc, char **argv, int *at) {
  const char *value;
  if ((value = value_of("--tcp", argc, argv, at)) != NULL) options.tcp = value;
  else if ((value = value_of("--env", argc, argv, at)) != NULL) add_set(value);
  else if ((value = value_of("--port", argc, argv, at)) != NULL) read_port(value);
  else if ((value = value_of("--network", argc, argv, at)) != NULL) options.network = is_one(value, "--network", "own", "host") ? NETWORK_OWN : NETWORK_HOST;
  else if ((value = value_of("--prefix", argc, argv, at)) != NULL) options.prefix_kept = is_one(value, "--prefix", "keep", "strip");
  else if ((value = value_of("--host", argc, argv, at)) != NULL) options.host_local = is_one(value, "--host", "local", "as-is");
  else if ((value = value_of("--user-header", argc, argv, at)) != NULL) read_user_header(value);
  else if ((value = value_of("--busy", argc, argv, at)) != NULL) read_busy(value);
  else return false;
  return true;
}

static bool names_placeholder(const char *placeholder) {
  for (char **word = options.command; *word != NULL; word++)
    if (strstr(*word, placeholder) != NULL) return true;
  for (const char **pair = options.set; pair != NULL && *pair != NULL; pair++)
    if (strstr(*pair, placeholder) != NULL) return true;
  return false;
}

void read_options(int argc, char **argv) {
  int at = 1;
  for (; at < argc && strcmp(argv[at], "--") != 0; at++) {
    if (strcmp(argv[at], "--version") == 0) {
      puts(SVC_WRAP_VERSION);
      exit(0);
    }
    if (strcmp(argv[at], "--help") == 0) {
      fputs(usage, stdout);
      exit(0);
    }
    if (strcmp(argv[at], "--exit-is-stop") == 0) options.exit_is_stop = true;
    else if (!read_valued(argc, argv, &at)) wrong("argumento desconhecido '%s'", argv[at]);
  }
  if (at + 1 >= argc) wrong("falta o comando, depois de --");
  options.command = argv + at + 1;
  bool socket = names_placeholder("{socket}"), port = names_placeholder("{port}") || options.by_port;
  if (socket && port) wrong("{socket} ou {port}, não os dois");
  if (!socket && !port) wrong("o comando não diz onde o programa escuta: {socket}, {port} ou --port N");
  options.by_port = port;
  if (port && options.network == NETWORK_HOST && options.user_header != NULL)
    wrong("--user-header com --network host: qualquer conta chegaria à porta e diria que é outra");
}

/* The value of the placeholder that begins at `at`; NULL where none does. */
static const char *filled(const char *at, size_t *bytes) {
  static char port[8], origin[32];
  snprintf(port, sizeof port, "%u", options.port);
  snprintf(origin, sizeof origin, "http://127.0.0.1:%u", options.port);
  const char *home = getenv("HOME");
  const struct {
    const char *name, *value;
  } known[] = {{"{socket}", options.program_socket}, {"{port}", port},           {"{base}", about.base}, {"{origin}", origin},
               {"{data}", about.data},               {"{home}", home == NULL ? "" : home}, {"{pkg}", about.package}};
  for (size_t n = 0; n < sizeof known / sizeof *known; n++) {
    if (strncmp(at, known[n].name, strlen(known[n].name)) != 0) continue;
    *bytes = strlen(known[n].name);
    return known[n].value;
  }
  return NULL;
}

static char *fill(const char *word) {
  struct buffer out = {0};
  for (const char *at = word; *at != 0;) {
    size_t bytes = 1;
    const char *value = *at == '{' ? filled(at, &bytes) : NULL;
    if (!(value != NULL ? add(&out, value, strlen(value)) : add(&out, at, 1))) abort();
    at += bytes;
  }
  if (!add(&out, "", 1)) abort();
  return out.bytes;
}

void fill_placeholders(void) {
  for (char **word = options.command; *word != NULL; word++) *word = fill(*word);
  for (const char **pair = options.set; pair != NULL && *pair != NULL; pair++) *pair = fill(*pair);
}
