/* The app: one process for each person, as their own account. What every app must do is in svc.c. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "svc.h"

static pthread_mutex_t trava = PTHREAD_MUTEX_INITIALIZER; /* each connection has a thread */

static void caminho_de(char *onde, size_t tamanho, const char *nome) { snprintf(onde, tamanho, "%s/%s", svc_pasta_de_dados(), nome); }

static long ler(void) {
  char caminho[4096];
  caminho_de(caminho, sizeof caminho, "contagem");
  long contagem = 0;
  FILE *arquivo = fopen(caminho, "r");
  if (arquivo != NULL) {
    if (fscanf(arquivo, "%ld", &contagem) != 1) contagem = 0;
    fclose(arquivo);
  }
  return contagem;
}

/* A backend may be ended at any time: the file is written whole or not at all. */
static int guardar(long contagem) {
  char caminho[4096], novo[4096];
  caminho_de(caminho, sizeof caminho, "contagem");
  caminho_de(novo, sizeof novo, "contagem.novo");
  FILE *arquivo = fopen(novo, "w");
  if (arquivo == NULL) return -1;
  int certo = fprintf(arquivo, "%ld", contagem) > 0 && fflush(arquivo) == 0 && fsync(fileno(arquivo)) == 0;
  return fclose(arquivo) == 0 && certo ? rename(novo, caminho) : -1;
}

static void contar(svc_pedido *pedido) {
  pthread_mutex_lock(&trava);
  long contagem = ler() + 1;
  int falhou = guardar(contagem);
  pthread_mutex_unlock(&trava);
  if (falhou) svc_responder_json(pedido, 500, "{\"error\":\"a pasta de dados não pode ser escrita\"}");
  else svc_responder_json(pedido, 200, "{\"contagem\":%ld}", contagem);
}

static void atender(svc_pedido *pedido) {
  if (strcmp(pedido->caminho, "/api/contagem") == 0 && strcmp(pedido->metodo, "GET") == 0)
    svc_responder_json(pedido, 200, "{\"contagem\":%ld}", ler());
  else if (strcmp(pedido->caminho, "/api/contagem") == 0 && strcmp(pedido->metodo, "POST") == 0)
    contar(pedido);
  else if (!svc_pagina(pedido))
    svc_responder_json(pedido, 404, "{\"error\":\"rota desconhecida\"}");
}

int main(int argc, char **argv) { return svc_escutar(argc, argv, atender); }
