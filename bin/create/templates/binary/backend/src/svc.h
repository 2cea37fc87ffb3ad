/* What every app must do, for C: the socket, the gate, /saude, the page, the end. One request on each connection, one thread for each. */
#ifndef SVC_H
#define SVC_H

#include <stddef.h>

typedef struct {
  const char *metodo;   /* GET, POST, … */
  const char *caminho;  /* as it came, without the query */
  const char *consulta; /* what comes after ?; "" without one */
  const char *corpo;    /* of `tamanho` bytes, and a 0 after them */
  size_t tamanho;
  const char *cabecalhos; /* for svc_cabecalho */
  int conexao;
} svc_pedido;

/* Serves until SIGTERM; the exit code of main: 0 at the end and when another instance serves already, 2 with nowhere to listen. */
int svc_escutar(int argc, char **argv, void (*atender)(svc_pedido *));

/* The value of a header into `valor`; 0 when it was not sent or is too long. */
int svc_cabecalho(const svc_pedido *pedido, const char *nome, char *valor, size_t tamanho);

/* A whole answer. Each request gets one. */
void svc_responder(svc_pedido *pedido, int status, const char *tipo, const void *corpo, size_t tamanho);

/* As printf; at most 64 KiB. Texts that come from others are escaped by who calls. */
void svc_responder_json(svc_pedido *pedido, int status, const char *formato, ...) __attribute__((format(printf, 3, 4)));

/* Serves a file of frontend/, or index.html with the SDK, the UI kit and app.js in its head; 0: it is no such request. */
int svc_pagina(svc_pedido *pedido);

/* Where to keep things: SVC_APP_DATA_DIR, or ~/.svc-apps/<id>/data. */
const char *svc_pasta_de_dados(void);

#endif
