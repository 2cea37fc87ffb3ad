/* See svc.h. Standard C11 and POSIX. */
#define _GNU_SOURCE
#include "svc.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { CABECA_MAX = 32 * 1024, CORPO_MAX = 1024 * 1024, ARQUIVO_MAX = 64 * 1024 * 1024, CONEXOES_MAX = 256, FIM_S = 5, LER_S = 15 };

static char raiz[PATH_MAX]; /* the folder of svc-app.json */
static char id[128] = "dev", versao[160] = "dev", base[1024] = "/", dados[PATH_MAX];
static const char *ficha; /* NULL on a bench: everything passes */
static void (*atender_app)(svc_pedido *);
static pthread_mutex_t trava = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t mudou = PTHREAD_COND_INITIALIZER;
static int conexoes, ocupadas; /* ocupadas: of which a request is being answered */
static int acorda[2];

/* ---- answers ---- */

static int enviar(int conexao, const char *bytes, size_t tamanho) {
  while (tamanho > 0) {
    ssize_t foi = send(conexao, bytes, tamanho, MSG_NOSIGNAL);
    if (foi < 0 && errno == EINTR) continue;
    if (foi <= 0) return -1;
    bytes += foi;
    tamanho -= (size_t)foi;
  }
  return 0;
}

static const char *nome_do_status(int status) {
  switch (status) {
    case 200: return "OK";
    case 201: return "Created";
    case 400: return "Bad Request";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 413: return "Content Too Large";
    case 431: return "Request Header Fields Too Large";
    case 501: return "Not Implemented";
    default: return status < 400 ? "OK" : "Error";
  }
}

static void responder(svc_pedido *pedido, int status, const char *tipo, const char *mais, const void *corpo, size_t tamanho) {
  char cabeca[1024];
  int n = snprintf(cabeca, sizeof cabeca,
                   "HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n%sX-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n",
                   status, nome_do_status(status), tipo, tamanho, mais);
  if (n <= 0 || (size_t)n >= sizeof cabeca || enviar(pedido->conexao, cabeca, (size_t)n) < 0) return;
  if (strcmp(pedido->metodo, "HEAD") != 0) enviar(pedido->conexao, corpo, tamanho);
}

void svc_responder(svc_pedido *pedido, int status, const char *tipo, const void *corpo, size_t tamanho) {
  responder(pedido, status, tipo, "Cache-Control: no-cache\r\n", corpo, tamanho);
}

static const char *json = "application/json; charset=utf-8";

void svc_responder_json(svc_pedido *pedido, int status, const char *formato, ...) {
  char corpo[64 * 1024];
  va_list partes;
  va_start(partes, formato);
  int n = vsnprintf(corpo, sizeof corpo, formato, partes);
  va_end(partes);
  if (n < 0 || (size_t)n >= sizeof corpo) n = snprintf(corpo, sizeof corpo, "{\"error\":\"resposta longa demais\"}"), status = 500;
  responder(pedido, status, json, "Cache-Control: no-store\r\n", corpo, (size_t)n);
}

/* ---- files of the page ---- */

static char *ler_arquivo(const char *caminho, size_t *tamanho) {
  int arquivo = open(caminho, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
  struct stat dito;
  if (arquivo < 0 || fstat(arquivo, &dito) < 0 || !S_ISREG(dito.st_mode) || dito.st_size > ARQUIVO_MAX) {
    if (arquivo >= 0) close(arquivo);
    return NULL;
  }
  char *bytes = malloc((size_t)dito.st_size + 1);
  size_t lido = 0;
  for (ssize_t n; bytes != NULL && lido < (size_t)dito.st_size; lido += (size_t)n)
    if ((n = read(arquivo, bytes + lido, (size_t)dito.st_size - lido)) <= 0) break;
  close(arquivo);
  if (bytes != NULL) bytes[lido] = 0;
  *tamanho = lido;
  return bytes;
}

static const char *tipo_de(const char *nome) {
  static const char *tipos[][2] = {{".html", "text/html; charset=utf-8"},  {".css", "text/css; charset=utf-8"},
                                   {".js", "text/javascript; charset=utf-8"}, {".mjs", "text/javascript; charset=utf-8"},
                                   {".json", "application/json; charset=utf-8"}, {".svg", "image/svg+xml"},
                                   {".png", "image/png"},                  {".jpg", "image/jpeg"},
                                   {".webp", "image/webp"},                {".woff2", "font/woff2"},
                                   {".wasm", "application/wasm"}};
  const char *fim = strrchr(nome, '.');
  for (size_t i = 0; fim != NULL && i < sizeof tipos / sizeof *tipos; i++)
    if (strcasecmp(fim, tipos[i][0]) == 0) return tipos[i][1];
  return "application/octet-stream";
}

/* Below frontend/, by plain names: nothing hidden, nothing encoded, no way up. */
static char *da_pagina(const char *caminho, size_t *tamanho) {
  for (const char *c = caminho; *c != 0; c++) {
    int plano = isalnum((unsigned char)*c) || strchr("/._-~", *c) != NULL;
    if (!plano || (*c == '/' && (c[1] == '/' || c[1] == '.' || c[1] == 0))) return NULL;
  }
  char inteiro[PATH_MAX], real[PATH_MAX], pasta[PATH_MAX];
  if (snprintf(pasta, sizeof pasta, "%s/frontend", raiz) >= (int)sizeof pasta) return NULL;
  if (snprintf(inteiro, sizeof inteiro, "%s%s", pasta, caminho) >= (int)sizeof inteiro || realpath(inteiro, real) == NULL) return NULL;
  size_t n = strlen(pasta);
  return strncmp(real, pasta, n) == 0 && real[n] == '/' ? ler_arquivo(real, tamanho) : NULL;
}

static int indice(svc_pedido *pedido) {
  size_t tamanho = 0, script = 0;
  char *pagina = da_pagina("/index.html", &tamanho);
  if (pagina == NULL) return 0;
  char *codigo = da_pagina("/app.js", &script);
  uint64_t marca = 14695981039346656037u; /* FNV-1a: another content is another address */
  for (size_t i = 0; codigo != NULL && i < script; i++) marca = (marca ^ (unsigned char)codigo[i]) * 1099511628211u;
  char etiquetas[2048], meu[96] = "";
  if (codigo != NULL) snprintf(meu, sizeof meu, "<script src=\"app.js?v=%016llx\" defer></script>", (unsigned long long)marca);
  int n = snprintf(etiquetas, sizeof etiquetas,
                   "<base href=\"%s\"><script src=\"_sdk/svc.js\"></script><link rel=\"stylesheet\" href=\"_sdk/ui/svc-ui.css\">"
                   "<script src=\"_sdk/ui/svc-ui.js\" defer></script>%s",
                   base, meu);
  char *cabeca = strstr(pagina, "<head>"), *inteira = malloc(tamanho + (size_t)n + 1);
  if (inteira != NULL) {
    size_t antes = cabeca == NULL ? 0 : (size_t)(cabeca - pagina) + strlen("<head>");
    memcpy(inteira, pagina, antes);
    memcpy(inteira + antes, etiquetas, (size_t)n);
    memcpy(inteira + antes + n, pagina + antes, tamanho - antes);
    svc_responder(pedido, 200, "text/html; charset=utf-8", inteira, tamanho + (size_t)n);
  }
  free(codigo), free(pagina), free(inteira);
  return inteira != NULL;
}

static int comeca(const char *texto, const char *com) { return strncmp(texto, com, strlen(com)) == 0; }

int svc_pagina(svc_pedido *pedido) {
  const char *caminho = pedido->caminho;
  if (strcmp(pedido->metodo, "GET") != 0 && strcmp(pedido->metodo, "HEAD") != 0) return 0;
  if (comeca(caminho, "/_sdk/") || strcmp(caminho, "/_sdk") == 0) return 0; /* the portal's */
  if (strcmp(caminho, "/") == 0 || strcmp(caminho, "/index.html") == 0) return indice(pedido);
  size_t tamanho = 0;
  char *bytes = da_pagina(caminho, &tamanho);
  if (bytes != NULL) {
    svc_responder(pedido, 200, tipo_de(caminho), bytes, tamanho);
    free(bytes);
    return 1;
  }
  /* A route of the page, which survives a reload. */
  char aceita[1024];
  int navega = !comeca(caminho, "/api/") && strchr(strrchr(caminho, '/'), '.') == NULL &&
               svc_cabecalho(pedido, "Accept", aceita, sizeof aceita) && strstr(aceita, "text/html") != NULL;
  return navega ? indice(pedido) : 0;
}

/* ---- requests ---- */

int svc_cabecalho(const svc_pedido *pedido, const char *nome, char *valor, size_t tamanho) {
  size_t n = strlen(nome);
  for (const char *linha = pedido->cabecalhos; *linha != 0;) {
    const char *fim = strstr(linha, "\r\n");
    if (fim == NULL) break;
    if (strncasecmp(linha, nome, n) == 0 && linha[n] == ':') {
      const char *de = linha + n + 1;
      while (*de == ' ' || *de == '\t') de++;
      while (fim > de && (fim[-1] == ' ' || fim[-1] == '\t')) fim--;
      if ((size_t)(fim - de) >= tamanho) return 0;
      memcpy(valor, de, (size_t)(fim - de));
      valor[fim - de] = 0;
      return 1;
    }
    linha = fim + 2;
  }
  return 0;
}

static int vezes(const svc_pedido *pedido, const char *nome) {
  int n = 0;
  for (const char *linha = pedido->cabecalhos; *linha != 0;) {
    if (strncasecmp(linha, nome, strlen(nome)) == 0 && linha[strlen(nome)] == ':') n++;
    const char *fim = strstr(linha, "\r\n");
    if (fim == NULL) break;
    linha = fim + 2;
  }
  return n;
}

/* In the same time whatever comes. */
static int passa(const svc_pedido *pedido) {
  char dita[512] = "";
  if (ficha == NULL) return 1;
  if (*ficha == 0 || vezes(pedido, "X-Svc-App-Token") != 1 || !svc_cabecalho(pedido, "X-Svc-App-Token", dita, sizeof dita)) return 0;
  size_t n = strlen(ficha), veio = strlen(dita);
  unsigned char outro = n != veio;
  for (size_t i = 0; i < n; i++) outro |= (unsigned char)ficha[i] ^ (unsigned char)dita[veio == 0 ? 0 : i % veio];
  return outro == 0;
}

/* The head into `cabeca`; how many bytes of the body came with it are in `*resto`. 0: the other side left; -1: it is too long. */
static long ler_cabeca(int conexao, char *cabeca, size_t *resto) {
  size_t lido = 0;
  while (lido < CABECA_MAX) {
    ssize_t n = recv(conexao, cabeca + lido, CABECA_MAX - lido, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return 0;
    lido += (size_t)n;
    cabeca[lido] = 0;
    char *fim = strstr(cabeca, "\r\n\r\n");
    if (fim == NULL) continue;
    *resto = lido - (size_t)(fim + 4 - cabeca);
    return fim + 4 - cabeca;
  }
  return -1;
}

/* Fills in the request; the head loses its end. 0: it is none that we understand. */
static int entender(svc_pedido *pedido, char *cabeca, size_t tamanho) {
  cabeca[tamanho - 2] = 0;
  char *linha = strstr(cabeca, "\r\n"), *alvo = strchr(cabeca, ' ');
  if (linha == NULL || alvo == NULL || alvo > linha) return 0;
  char *modo = strchr(alvo + 1, ' ');
  if (modo == NULL || modo > linha || !comeca(modo, " HTTP/1.") || alvo[1] != '/') return 0;
  *linha = *alvo = *modo = 0;
  char *consulta = strchr(alvo + 1, '?');
  if (consulta != NULL) *consulta++ = 0;
  pedido->metodo = cabeca;
  pedido->caminho = alvo + 1;
  pedido->consulta = consulta == NULL ? "" : consulta;
  pedido->cabecalhos = linha + 2;
  return 1;
}

/* The body, or NULL after a refusal. */
static char *ler_corpo(svc_pedido *pedido, const char *veio, size_t resto) {
  char valor[64] = "0", *fim = valor;
  if (vezes(pedido, "Transfer-Encoding") > 0) return svc_responder_json(pedido, 501, "{\"error\":\"corpo sem tamanho\"}"), NULL;
  if (vezes(pedido, "Content-Length") > 0) svc_cabecalho(pedido, "Content-Length", valor, sizeof valor);
  unsigned long tamanho = isdigit((unsigned char)*valor) ? strtoul(valor, &fim, 10) : 0;
  if (vezes(pedido, "Content-Length") > 1 || *fim != 0) return svc_responder_json(pedido, 400, "{\"error\":\"Content-Length\"}"), NULL;
  if (tamanho > CORPO_MAX) return svc_responder_json(pedido, 413, "{\"error\":\"o corpo passa de %d bytes\"}", CORPO_MAX), NULL;
  char *corpo = malloc(tamanho + 1);
  if (corpo == NULL) return svc_responder_json(pedido, 500, "{\"error\":\"sem memória\"}"), NULL;
  size_t lido = resto < tamanho ? resto : tamanho;
  memcpy(corpo, veio, lido);
  if (lido < tamanho && svc_cabecalho(pedido, "Expect", valor, sizeof valor)) enviar(pedido->conexao, "HTTP/1.1 100 Continue\r\n\r\n", 25);
  while (lido < tamanho) {
    ssize_t n = recv(pedido->conexao, corpo + lido, tamanho - lido, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return free(corpo), NULL;
    lido += (size_t)n;
  }
  corpo[tamanho] = 0;
  pedido->corpo = corpo;
  pedido->tamanho = tamanho;
  return corpo;
}

static void responder_ao(svc_pedido *pedido, const char *veio, size_t resto) {
  if (!passa(pedido)) {
    static const char recusa[] = "{\"error\":\"token do app recusado\"}";
    responder(pedido, 403, json, "X-Svc-Token: recusado\r\nCache-Control: no-store\r\n", recusa, sizeof recusa - 1);
    return;
  }
  char *corpo = ler_corpo(pedido, veio, resto);
  if (corpo == NULL) return;
  if (strcmp(pedido->caminho, "/saude") == 0 && (strcmp(pedido->metodo, "GET") == 0 || strcmp(pedido->metodo, "HEAD") == 0))
    svc_responder_json(pedido, 200, "{\"ok\":true,\"versao\":\"%s\",\"pid\":%ld}", versao, (long)getpid());
  else atender_app(pedido);
  free(corpo);
}

static void *servir(void *dado) {
  int conexao = (int)(intptr_t)dado;
  struct timeval espera = {.tv_sec = LER_S};
  setsockopt(conexao, SOL_SOCKET, SO_RCVTIMEO, &espera, sizeof espera);
  setsockopt(conexao, SOL_SOCKET, SO_SNDTIMEO, &espera, sizeof espera);
  char *cabeca = malloc(CABECA_MAX + 1);
  size_t resto = 0;
  long tamanho = cabeca == NULL ? 0 : ler_cabeca(conexao, cabeca, &resto);
  svc_pedido pedido = {.metodo = "", .caminho = "/", .consulta = "", .corpo = "", .cabecalhos = "", .conexao = conexao};
  if (tamanho != 0) {
    pthread_mutex_lock(&trava), ocupadas++, pthread_mutex_unlock(&trava);
    if (tamanho < 0) svc_responder_json(&pedido, 431, "{\"error\":\"cabeçalhos grandes demais\"}");
    else if (!entender(&pedido, cabeca, (size_t)tamanho)) svc_responder_json(&pedido, 400, "{\"error\":\"pedido malformado\"}");
    else responder_ao(&pedido, cabeca + tamanho, resto);
    /* Unread bytes would make the other side lose the answer. */
    shutdown(conexao, SHUT_WR);
    struct timeval breve = {.tv_sec = 1};
    setsockopt(conexao, SOL_SOCKET, SO_RCVTIMEO, &breve, sizeof breve);
    for (int n = 0; n < 64 && recv(conexao, cabeca, CABECA_MAX, 0) > 0;) n++;
    pthread_mutex_lock(&trava), ocupadas--, pthread_mutex_unlock(&trava);
  }
  free(cabeca);
  close(conexao);
  pthread_mutex_lock(&trava), conexoes--, pthread_cond_broadcast(&mudou), pthread_mutex_unlock(&trava);
  return NULL;
}

/* ---- who we are ---- */

/* The text of a field of svc-app.json, which has it once at its root. */
static void do_manifesto(const char *nome, char *valor, size_t tamanho) {
  char caminho[PATH_MAX];
  size_t bytes = 0;
  if (snprintf(caminho, sizeof caminho, "%s/svc-app.json", raiz) >= (int)sizeof caminho) return;
  char *texto = ler_arquivo(caminho, &bytes), *aqui = texto == NULL ? NULL : strstr(texto, nome);
  if (aqui != NULL && (aqui = strchr(aqui + strlen(nome), '"')) != NULL) {
    size_t n = strcspn(++aqui, "\"\\");
    if (n < tamanho) memcpy(valor, aqui, n), valor[n] = 0;
  }
  free(texto);
}

static void quem_sou(void) {
  ssize_t n = readlink("/proc/self/exe", raiz, sizeof raiz - 1);
  raiz[n < 0 ? 0 : n] = 0;
  for (int acima = 0; acima < 2 && strrchr(raiz, '/') != NULL; acima++) *strrchr(raiz, '/') = 0; /* backend/app */
  const char *dito = getenv("SVC_APP_ID"), *caminho = getenv("SVC_APP_BASE_PATH"), *casa = getenv("HOME"), *pasta = getenv("SVC_APP_DATA_DIR");
  do_manifesto("\"id\":", id, sizeof id);
  if (dito != NULL && *dito != 0) snprintf(id, sizeof id, "%s", dito);
  if (getenv("SVC_APP_INSTALLED_HASH") != NULL) do_manifesto("\"version\":", versao, sizeof versao);
  ficha = getenv("SVC_APP_TOKEN");
  size_t longo = caminho == NULL ? 0 : strlen(caminho);
  if (longo > 0 && longo < sizeof base && caminho[0] == '/' && caminho[longo - 1] == '/' &&
      strspn(caminho, "/abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._~-") == longo)
    strcpy(base, caminho);
  int cabe = pasta != NULL && *pasta != 0 ? snprintf(dados, sizeof dados, "%s", pasta)
                                          : snprintf(dados, sizeof dados, "%s/.svc-apps/%s/data", casa == NULL ? "" : casa, id);
  if (cabe >= (int)sizeof dados) dados[0] = 0;
}

static void criar_pastas(char *caminho) {
  for (char *barra = caminho + 1; (barra = strchr(barra, '/')) != NULL; *barra++ = '/') *barra = 0, mkdir(caminho, 0700);
  mkdir(caminho, 0700);
}

const char *svc_pasta_de_dados(void) { return dados; }

/* ---- listening ---- */

static int em_lugar_nenhum(const char *porque) {
  fprintf(stderr, "[%s] %s\n", id, porque);
  return -2;
}

static int escutar_tcp(const char *onde, char *lugar, size_t tamanho) {
  char host[64];
  const char *dois = strrchr(onde, ':');
  size_t n = dois == NULL ? 0 : (size_t)(dois - onde);
  char *fim = NULL;
  unsigned long porta = dois == NULL ? 0 : strtoul(dois + 1, &fim, 10);
  if (n == 0 || n >= sizeof host || fim == dois + 1 || *fim != 0 || porta > 65535) return em_lugar_nenhum("--tcp espera host:porta");
  memcpy(host, onde, n), host[n] = 0;
  struct sockaddr_in aqui = {.sin_family = AF_INET, .sin_port = htons((uint16_t)porta)};
  if (inet_pton(AF_INET, strcmp(host, "localhost") == 0 ? "127.0.0.1" : host, &aqui.sin_addr) != 1)
    return em_lugar_nenhum("--tcp espera um endereço IPv4, como 127.0.0.1:0");
  int ouvinte = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), sim = 1;
  setsockopt(ouvinte, SOL_SOCKET, SO_REUSEADDR, &sim, sizeof sim);
  socklen_t longo = sizeof aqui;
  if (ouvinte < 0 || bind(ouvinte, (struct sockaddr *)&aqui, sizeof aqui) < 0 || listen(ouvinte, 512) < 0 ||
      getsockname(ouvinte, (struct sockaddr *)&aqui, &longo) < 0)
    return em_lugar_nenhum(strerror(errno));
  snprintf(lugar, tamanho, "%s:%u", inet_ntop(AF_INET, &aqui.sin_addr, host, sizeof host), ntohs(aqui.sin_port));
  if (ficha == NULL && !comeca(host, "127."))
    fprintf(stderr, "svc: atenção: sem SVC_APP_TOKEN e fora de 127.0.0.1, qualquer um na rede alcança este app\n");
  return ouvinte;
}

/* A refused connection tells an orphan from a live socket; what is no socket stays. 1: another instance answers. */
static int tirar_orfao(const struct sockaddr_un *aqui) {
  int prova = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), erro = 0;
  if (connect(prova, (const struct sockaddr *)aqui, sizeof *aqui) < 0) erro = errno;
  close(prova);
  struct stat dito;
  if (erro == ENOENT) return 0;
  if (erro == 0 || erro == EAGAIN) return 1;
  if (erro != ECONNREFUSED || lstat(aqui->sun_path, &dito) < 0 || !S_ISSOCK(dito.st_mode)) return em_lugar_nenhum("há algo que não é um socket");
  return unlink(aqui->sun_path) < 0 && errno != ENOENT ? em_lugar_nenhum(strerror(errno)) : 0;
}

static int escutar_unix(const char *onde) {
  struct sockaddr_un aqui = {.sun_family = AF_UNIX};
  char pasta[sizeof aqui.sun_path];
  struct stat dito;
  if (onde[0] != '/' || strlen(onde) >= sizeof aqui.sun_path) return em_lugar_nenhum("SVC_APP_SOCKET: um caminho absoluto de no máximo 107 bytes");
  strcpy(aqui.sun_path, onde);
  strcpy(pasta, onde);
  *strrchr(pasta, '/') = 0;
  criar_pastas(pasta);
  if (stat(pasta, &dito) < 0 || dito.st_uid != geteuid() || (dito.st_mode & S_ISVTX)) return em_lugar_nenhum("a pasta do socket não é só desta conta");
  if ((dito.st_mode & 077) != 0 && chmod(pasta, 0700) < 0) return em_lugar_nenhum(strerror(errno));
  int orfao = tirar_orfao(&aqui);
  if (orfao < 0) return orfao;
  int ouvinte = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  mode_t antes = umask(0177); /* before bind: never wider than 0600 */
  int erro = orfao == 1 ? EADDRINUSE : bind(ouvinte, (struct sockaddr *)&aqui, sizeof aqui) < 0 ? errno : 0;
  umask(antes);
  if (erro == EADDRINUSE) {
    fprintf(stderr, "[%s] outra instância já atende em %s\n", id, onde);
    return -1;
  }
  return erro != 0 || listen(ouvinte, 512) < 0 ? em_lugar_nenhum(strerror(erro != 0 ? erro : errno)) : ouvinte;
}

static void ao_sinal(int sinal) {
  (void)sinal;
  int guardado = errno;
  if (write(acorda[1], ".", 1) < 0) { /* it is full: it wakes anyway */
  }
  errno = guardado;
}

static void aceitar(int ouvinte) {
  pthread_mutex_lock(&trava);
  while (conexoes >= CONEXOES_MAX) pthread_cond_wait(&mudou, &trava);
  pthread_mutex_unlock(&trava);
  int conexao = accept4(ouvinte, NULL, NULL, SOCK_CLOEXEC);
  if (conexao < 0) return;
  pthread_t fio;
  pthread_mutex_lock(&trava), conexoes++, pthread_mutex_unlock(&trava);
  if (pthread_create(&fio, NULL, servir, (void *)(intptr_t)conexao) == 0) {
    pthread_detach(fio);
    return;
  }
  close(conexao);
  pthread_mutex_lock(&trava), conexoes--, pthread_mutex_unlock(&trava);
}

/* Answers under way get FIM_S to end. */
static void terminar(void) {
  struct timespec ate;
  clock_gettime(CLOCK_REALTIME, &ate);
  ate.tv_sec += FIM_S;
  pthread_mutex_lock(&trava);
  while (ocupadas > 0 && pthread_cond_timedwait(&mudou, &trava, &ate) == 0) continue;
  pthread_mutex_unlock(&trava);
}

int svc_escutar(int argc, char **argv, void (*atender)(svc_pedido *)) {
  quem_sou();
  atender_app = atender;
  const char *socket_do_portal = getenv("SVC_APP_SOCKET"), *tcp = argc == 3 && strcmp(argv[1], "--tcp") == 0 ? argv[2] : NULL;
  char lugar[256] = "";
  int ouvinte = -2;
  if (argc > 1 && tcp == NULL) em_lugar_nenhum("uso: [--tcp host:porta]");
  else if (tcp != NULL) ouvinte = escutar_tcp(tcp, lugar, sizeof lugar);
  else if (socket_do_portal == NULL || *socket_do_portal == 0) em_lugar_nenhum("sem onde escutar: falta SVC_APP_SOCKET (ou --tcp host:porta)");
  else ouvinte = escutar_unix(socket_do_portal), snprintf(lugar, sizeof lugar, "%s", socket_do_portal);
  if (ouvinte < 0) return ouvinte == -1 ? 0 : 2;
  criar_pastas(dados);
  struct sigaction fim = {.sa_handler = ao_sinal};
  if (pipe2(acorda, O_CLOEXEC | O_NONBLOCK) < 0) return 1;
  sigaction(SIGTERM, &fim, NULL);
  sigaction(SIGINT, &fim, NULL);
  signal(SIGPIPE, SIG_IGN);
  printf("[%s] versão %s escutando em %s\n", id, versao, lugar);
  fflush(stdout);
  struct pollfd espera[2] = {{.fd = ouvinte, .events = POLLIN}, {.fd = acorda[0], .events = POLLIN}};
  while (espera[1].revents == 0)
    if (poll(espera, 2, -1) > 0 && espera[0].revents != 0 && espera[1].revents == 0) aceitar(ouvinte);
  close(ouvinte);
  if (tcp == NULL) unlink(socket_do_portal);
  terminar();
  return 0;
}
