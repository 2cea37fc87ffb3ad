/**
 * Secrets in every field of real requests, and none in the record: passwords, passes, tokens, cookies, values of secrets and contents, in headers, paths,
 * queries and bodies of every route that leaves a line.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { createRandom, type Random } from '../../test/simulation/random.ts';
import { amount } from '../../test/support/amount.ts';
import { tellCount } from '../../test/support/counts.ts';
import { verifyRecord } from '../../store/audit/verify.ts';
import type { ManualClock } from '../testing/manual-clock.ts';
import { createPortalWorld, type Browser, type PortalWorld } from '../testing/portal-world.ts';
import { rows } from './http-audit.ts';

const seed = Number(process.env['SVC_TEST_SEED'] ?? 401);
const lines = amount(2_500, 100_000, 400);
/** Part of every planted text, in letters that any field takes. */
const planted = 'plantedsecret';

let portal: PortalWorld;
let people: readonly Browser[];
async function signedIn(): Promise<readonly Browser[]> {
  const admin = await portal.signedIn('bia', { admin: true });
  return [await portal.signedIn('ana'), admin, await portal.signedIn('ana'), admin, portal.browser()];
}

beforeAll(async () => {
  portal = await createPortalWorld({ audit: true, manifests: { notas: { recursos: { fila: true } } } });
  people = await signedIn();
});
afterAll(() => portal.close());

/** Shapes that fields of different kinds let through. */
function secretOf({ int, pick }: Random): string {
  const mark = `${planted}${int(0, 999_999)}`;
  return pick([
    mark,
    mark.toUpperCase(),
    `${mark}-${'x'.repeat(int(1, 40))}`,
    mark.padEnd(22, 'A').slice(0, 22),
    mark.padEnd(43, 'A').slice(0, 43),
    `/home/ana/${mark}`,
    `/srv/${mark}`,
    `Package/${mark}`,
    `Bearer ${mark}`,
    `svc_session=${mark}; other=${mark}`,
  ]);
}

const routes = Object.entries(rows).flatMap(([route, row]) => ('none' in row ? [] : [route]));
const fields = (
  'passe login senha value person admin prune act key chave comando nome app versao caminho itens destino tipo papel de para capacidade ' +
  'resposta duracao pasta colunas linhas bytes bilhete'
).split(' ');

/** A body with valid fields where they are known, so that some requests are carried out, and a secret elsewhere. */
function bodyOf(random: Random): Record<string, unknown> {
  const { pick, chance } = random;
  const right: Readonly<Record<string, unknown>> = {
    person: pick(['ana', 'bia']),
    resposta: 'sim',
    papel: 'ver',
    colunas: 80,
    linhas: 24,
    comando: ['true'],
  };
  const chosen = fields.filter(() => chance(0.15));
  return Object.fromEntries(chosen.map((name) => [name, chance(0.4) ? (right[name] ?? secretOf(random)) : secretOf(random)]));
}

const knownBodies: Readonly<Record<string, (secret: string) => Record<string, unknown>>> = {
  'POST /api/sessao': (secret) => ({ login: 'ana', senha: secret }),
  'PUT /api/apps/:id/segredos/:nome': (value) => ({ value }),
  'POST /api/fila/trabalhos': (secret) => ({
    chave: secret.slice(0, 40),
    comando: ['x', secret],
    ambiente: { TOKEN: secret },
    nome: secret.slice(0, 40),
  }),
  'POST /api/terminais': () => ({ colunas: 80, linhas: 24 }),
  'POST /api/salas': (nome) => ({ nome, app: 'notas' }),
  'POST /api/admin/links': () => ({ person: 'ana' }),
};

/** The clock that is moved by hand cuts off some whose body was still on its way: they are sent no more. */
async function sent(random: Random): Promise<void> {
  await sendOne(random).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ECONNRESET') throw error;
  });
}

async function sendOne(random: Random): Promise<void> {
  const { pick, chance } = random;
  const route = pick(routes);
  const [method = 'GET', pattern = ''] = route.split(' ');
  const right: Readonly<Record<string, string>> = {
    id: 'notas',
    app: 'notas',
    person: 'ana',
    usuario: 'bia',
    nome: 'API_KEY',
    grupo: 'editores',
  };
  const plain = chance(0.6);
  const url = pattern.replaceAll(/:(\w+)|\*/g, (_, name: string | undefined) => {
    const value = plain || chance(0.3) ? (right[name ?? ''] ?? secretOf(random)) : secretOf(random);
    return encodeURIComponent(value);
  });
  const query =
    !plain && chance(0.5)
      ? `?${pick(['passe', 'caminho', 'app', 'key', 'token', 'state', 'code', 'cancelar'])}=${encodeURIComponent(secretOf(random))}`
      : '';
  const made = plain ? knownBodies[route]?.(secretOf(random)) : undefined;
  const body = method === 'GET' ? undefined : JSON.stringify(made ?? bodyOf(random));
  const extra = [
    'user-agent',
    'x-forwarded-for',
    'referer',
    'x-api-key',
    'accept-language',
    'if-match',
    'x-svc-em-nome',
    'authorization',
    'cookie',
  ];
  const headers: Record<string, string> = { origin: portal.url, 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' };
  for (const name of extra)
    if (chance(['authorization', 'cookie', 'if-match'].includes(name) ? (plain ? 0 : 0.2) : 0.4)) headers[name] = secretOf(random);
  if (body !== undefined) headers['content-type'] = 'application/json';
  // An administrator at the control socket, too: they also put a value in the place of a name.
  if (chance(0.2)) await portal.control(method, url + query, made ?? bodyOf(random));
  else await pick(people).request(url + query, { method, headers, ...(body === undefined ? {} : { body }) });
}

test(`${lines} lines of requests with planted secrets in all fields hold none of them (seed ${seed})`, { timeout: 3_600_000 }, async () => {
  const random = createRandom(seed);
  // Whatever is waited for comes at once: outcomes are not what this is about.
  const clock = portal.clock as ManualClock;
  let requests = 0;
  while (portal.audit!.figures().lines + portal.audit!.figures().waiting < lines) {
    const state = { isDone: false };
    const all = Promise.all(Array.from({ length: 40 }, () => sent(random))).finally(() => void Object.assign(state, { isDone: true }));
    while (!state.isDone) {
      clock.advance(5_000);
      await new Promise(setImmediate);
    }
    await all;
    // Ends the minute in which lines of one kind are counted together.
    clock.advance(61_000);
    requests += 40;
    // Some of them signed people out.
    if (requests % 80 === 0) people = await signedIn();
  }
  const head = await portal.audit!.flush();
  const { dir } = portal.audit!;
  const files = (await readdir(dir)).filter((name) => name.endsWith('.jsonl'));
  const found: string[] = [];
  const results = new Map<string, number>();
  const actions = new Set<string>();
  for (const file of files) {
    for (const line of (await readFile(path.join(dir, file), 'utf8')).trimEnd().split('\n')) {
      if (line.toLowerCase().includes(planted)) found.push(line);
      const { result, action } = JSON.parse(line);
      results.set(result, (results.get(result) ?? 0) + 1);
      actions.add(action);
    }
  }
  const verdict = await verifyRecord(dir, head);
  const counts = Array.from(results, ([result, n]) => `${n} ${result}`).join(', ');
  tellCount(
    `audit: ${verdict.lines} lines of ${requests} requests (${counts}; ${actions.size} actions), ${found.length} with a secret, seed ${seed}`,
  );
  expect(found.slice(0, 5)).toEqual([]);
  expect(verdict.found).toBe(0);
  // Some of each were carried out: a portal that refuses everything would hold no secret either.
  expect(results.get('ok')).toBeGreaterThan(lines / 20);
  expect(actions.size).toBeGreaterThan(20);
});
