/** A portal for `svc.metricas` of the runtimes: takes what is sent, and answers, loses its answer, refuses or is away as a test says; and programs that count. */
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { MetricsBody } from '../../schema/wire/metrics.ts';
import { backendEnv, commandOf, start, temporaryFolder, type Backend, type Runtime } from './runtimes.ts';

export type Answer = (body: MetricsBody, res: ServerResponse) => void;
export const ok: Answer = (_, res) => void res.writeHead(200, { 'content-type': 'application/json' }).end('{"recusados":[]}');
export const refuse =
  (status: number): Answer =>
  (_, res) =>
    void res.writeHead(status, { 'content-type': 'application/problem+json' }).end(JSON.stringify({ code: 'X', error: 'não' }));

export interface MetricsPortal {
  answer: Answer;
  readonly received: MetricsBody[];
  readonly heads: IncomingMessage[];
  listen(): Promise<void>;
  /** Nothing listens at its address. */
  away(): Promise<void>;
  /** Totals of all batches, each number of a sender once. */
  totals(): Readonly<Record<string, number>>;
  run(runtime: Runtime, program: Readonly<Record<Runtime, string>>, env?: Record<string, string | undefined>): Backend;
}

/** Beginning of the program, in both languages. */
const prelude: Readonly<Record<Runtime, string>> = {
  python: `
import json, os, sys, time, threading
from svc import metricas
def diz(**campos): print(json.dumps(campos), flush=True)
`,
  node: `
const { metricas, escutar } = require('svc');
const http = require('node:http');
const diz = (campos) => console.log(JSON.stringify(campos));
`,
};

export function createMetricsPortal(): MetricsPortal {
  let server: Server | null = null;
  let port = 0;
  const made: MetricsPortal = {
    answer: ok,
    received: [],
    heads: [],
    listen: async () => {
      server = createServer((req, res) => {
        const chunks: Buffer[] = [];
        req.on('data', (chunk: Buffer) => chunks.push(chunk));
        req.on('end', () => {
          const body = JSON.parse(Buffer.concat(chunks).toString()) as MetricsBody;
          made.received.push(body);
          made.heads.push(req);
          made.answer(body, res);
        });
      });
      const { promise, resolve } = Promise.withResolvers<void>();
      server.listen(port, '127.0.0.1', resolve);
      await promise;
      ({ port } = server.address() as AddressInfo);
    },
    away: async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      if (server?.listening !== true) return;
      server.close(() => resolve());
      server.closeAllConnections();
      await promise;
    },
    totals: () => totalsOf(made.received),
    run: (runtime, program, env = {}) => {
      const home = temporaryFolder();
      const file = join(home, runtime === 'node' ? 'programa.cjs' : 'programa.py');
      writeFileSync(file, prelude[runtime] + program[runtime]);
      const credential = { SVC_PORTAL_URL: `http://127.0.0.1:${port}`, SVC_PORTAL_TOKEN: 'ficha', SVC_PORTAL_SCOPES: 'metricas' };
      const own = { SVC_APP_ID: 'bancada', SVC_APP_DATA_DIR: join(home, 'data') };
      return start(commandOf(runtime, file), backendEnv(home, { ...own, ...credential, ...env }));
    },
  };
  return made;
}

/** Output of the program itself, line by line. */
export const said = (backend: Backend): readonly Record<string, number>[] =>
  backend
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, number>);

function totalsOf(received: readonly MetricsBody[]): Readonly<Record<string, number>> {
  const once = new Map(received.map((body) => [`${body.origem} ${body.lote}`, body]));
  const sums: Record<string, number> = {};
  const add = (key: string, n: number): void => void (sums[key] = (sums[key] ?? 0) + n);
  for (const { contadores = [], duracoes = [], erros = [], descartados = {} } of once.values()) {
    for (const { evento, rotulos, n } of contadores) add(`${evento}${rotulos === undefined ? '' : JSON.stringify(rotulos)}`, n);
    for (const { evento, baldes } of duracoes)
      add(
        `${evento} s`,
        baldes.reduce((sum, n) => sum + n, 0),
      );
    for (const { tipo, n } of erros) add(tipo, n);
    for (const [reason, n] of Object.entries(descartados)) add(`- ${reason}`, n);
  }
  return sums;
}
