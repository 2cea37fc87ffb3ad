/** Rights of SVC_PORTAL_TOKEN: every scope by every credential and mandate. Written from decisions 0098 and 0203, not from the code. */
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createMemoryRooms } from '../../store/testing/memory-rooms.ts';
import { portalScopes, type PortalScope } from '../../store/rooms.ts';
import type { Manifest } from '../../schema/manifest/manifest.ts';
import { createManualClock } from '../testing/manual-clock.ts';
import { fixedRing } from './key-rings.ts';
import { createMandates } from './mandates.ts';
import { seal } from './sealed.ts';
import { createCredentials, type BackendCaller } from './credentials.ts';

const minuteMs = 60_000;
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
/** 43 characters, as secrets have. */
const secret = (name: string): string => name.padEnd(43, '0');
const ring = fixedRing(Buffer.alloc(32, 3));
const servers: Readonly<Record<string, string>> = { ana: 'sirius', bia: 'vega', caio: 'sirius' };

async function world(scopes: readonly PortalScope[] = portalScopes) {
  const clock = createManualClock();
  const rooms = createMemoryRooms();
  const mandates = createMandates(clock, ring);
  const sessions = new Set(['of-ana', 'of-bia', 'of-caio']);
  const put = async (name: string, usuario: string, app: string): Promise<void> =>
    rooms.putPortalToken({ tokenHash: sha256(secret(name)), usuario, app, scopes, startHash: name, atMs: 0 });
  await put('mural', '@sirius', 'mural');
  await put('notas', 'ana', 'notas');
  await put('ended', '@sirius', 'mural');
  await rooms.keepPortalTokens('@sirius', 'mural', 'mural');
  const installed = new Map<string, Partial<Manifest>>([
    ['mural', { id: 'mural', escopo: 'servidor' }],
    ['quadro', { id: 'quadro', escopo: 'servidor' }],
    ['notas', { id: 'notas' }],
  ]);
  const apps = {
    manifest: (usuario: string, app: string) => (usuario === 'caio' ? null : ((installed.get(app) ?? null) as Manifest | null)),
  };
  const people = {
    find: (usuario: string) => {
      const servidor = servers[usuario];
      return servidor === undefined ? null : { usuario, nome: usuario, login: usuario, grupos: [], servidor };
    },
  };
  const credentials = createCredentials({ rooms, people, apps, mandates, sessions: { alive: async (root) => sessions.has(root) } });
  const pass = (person: string, app = 'mural'): string => mandates.give({ person, app, session: `of-${person}` });
  return { clock, rooms, mandates, sessions, installed, credentials, pass };
}

type World = Awaited<ReturnType<typeof world>>;
interface Shown {
  readonly authorization?: string;
  readonly 'x-svc-em-nome'?: string;
}
const bearer = (name: string): string => `Bearer ${secret(name)}`;
const ask = ({ credentials }: World, shown: Shown, scope: PortalScope): Promise<BackendCaller> =>
  scope === 'salas' || scope === 'capacidades' ? credentials.check({ ...shown }, scope) : credentials.checkApp({ ...shown }, scope);
const codeOf = async (asked: Promise<unknown>): Promise<unknown> =>
  asked.then(
    () => 'let in',
    (error: { code?: unknown }) => error.code,
  );

/** The shown credential, and its refusal. */
const refusals: Readonly<Record<string, readonly [(world: World) => Shown, string]>> = {
  'no credential': [() => ({}), 'UNAUTHENTICATED'],
  'no credential, and a mandate': [({ pass }) => ({ 'x-svc-em-nome': pass('ana') }), 'UNAUTHENTICATED'],
  'one that never was': [() => ({ authorization: bearer('unknown') }), 'UNAUTHENTICATED'],
  'one that has ended': [() => ({ authorization: bearer('ended') }), 'UNAUTHENTICATED'],
  'another scheme': [() => ({ authorization: `Basic ${secret('mural')}` }), 'UNAUTHENTICATED'],
  'the hash of one': [() => ({ authorization: `Bearer ${sha256(secret('mural'))}` }), 'UNAUTHENTICATED'],
  'a mandate that never was': [() => ({ authorization: bearer('mural'), 'x-svc-em-nome': secret('none') }), 'UNAUTHENTICATED'],
  'an empty mandate': [() => ({ authorization: bearer('mural'), 'x-svc-em-nome': '' }), 'UNAUTHENTICATED'],
  'its own token as a mandate': [() => ({ authorization: bearer('mural'), 'x-svc-em-nome': secret('mural') }), 'UNAUTHENTICATED'],
  'the mandate of another app': [
    ({ pass }) => ({ authorization: bearer('mural'), 'x-svc-em-nome': pass('ana', 'quadro') }),
    'UNAUTHENTICATED',
  ],
  'the mandate of a person of another server': [
    ({ pass }) => ({ authorization: bearer('mural'), 'x-svc-em-nome': pass('bia') }),
    'UNAUTHENTICATED',
  ],
  'the mandate of a person without the app': [
    ({ pass }) => ({ authorization: bearer('mural'), 'x-svc-em-nome': pass('caio') }),
    'UNAUTHENTICATED',
  ],
  'the mandate of a person who signed out': [
    ({ pass, sessions }) => {
      const shown = { authorization: bearer('mural'), 'x-svc-em-nome': pass('ana') };
      sessions.delete('of-ana');
      return shown;
    },
    'UNAUTHENTICATED',
  ],
  'the mandate of a session that ran out': [
    ({ pass, sessions }) => {
      sessions.delete('of-ana');
      return { authorization: bearer('mural'), 'x-svc-em-nome': pass('ana') };
    },
    'UNAUTHENTICATED',
  ],
  'a mandate of eleven minutes ago': [
    ({ pass, clock }) => {
      const shown = { authorization: bearer('mural'), 'x-svc-em-nome': pass('ana') };
      clock.advance(11 * minuteMs);
      return shown;
    },
    'UNAUTHENTICATED',
  ],
  'the backend of a person with a mandate': [
    ({ pass }) => ({ authorization: bearer('notas'), 'x-svc-em-nome': pass('ana', 'notas') }),
    'FORBIDDEN',
  ],
  'the backend of a person with the mandate of another app': [
    ({ pass }) => ({ authorization: bearer('notas'), 'x-svc-em-nome': pass('ana') }),
    'FORBIDDEN',
  ],
};

describe.for(portalScopes)('%s', (scope) => {
  test.for(Object.entries(refusals))('%s', async ([, [shown, code]]) => {
    const made = await world();
    expect(await codeOf(ask(made, shown(made), scope))).toBe(code);
  });

  test('without the scope: forbidden, be it for a person or for itself', async () => {
    const made = await world(portalScopes.filter((other) => other !== scope));
    const shown = { authorization: bearer('mural'), 'x-svc-em-nome': made.pass('ana') };
    expect(await codeOf(ask(made, shown, scope))).toBe('FORBIDDEN');
    expect(await codeOf(ask(made, { authorization: bearer('mural') }, scope))).toBe('FORBIDDEN');
    expect(await codeOf(ask(made, { authorization: bearer('notas') }, scope))).toBe('FORBIDDEN');
  });

  test('for the person who asks it, while they ask it', async () => {
    const made = await world();
    const shown = { authorization: bearer('mural'), 'x-svc-em-nome': made.pass('ana') };
    const credential = sha256(secret('mural'));
    expect(await ask(made, shown, scope)).toEqual({ usuario: 'ana', owner: 'ana', app: 'mural', credential, session: 'of-ana' });
    made.clock.advance(9 * minuteMs);
    expect((await ask(made, shown, scope)).usuario).toBe('ana');
    made.installed.delete('mural');
    expect(await codeOf(ask(made, shown, scope))).toBe('UNAUTHENTICATED');
  });

  test('the backend of a person speaks for that person', async () => {
    const made = await world();
    expect(await ask(made, { authorization: bearer('notas') }, scope)).toMatchObject({ usuario: 'ana', app: 'notas', session: null });
  });
});

test.for(['fila', 'metricas'] as const)('%s: it asks for itself, as the app', async (scope) => {
  const made = await world();
  const credential = sha256(secret('mural'));
  expect(await ask(made, { authorization: bearer('mural') }, scope)).toEqual({
    usuario: null,
    owner: '@sirius',
    app: 'mural',
    credential,
    session: null,
  });
});

test.for(['salas', 'capacidades'] as const)('%s: for itself it asks in vain', async (scope) => {
  const made = await world();
  expect(await codeOf(ask(made, { authorization: bearer('mural') }, scope))).toBe('PERSON_NEEDED');
});

test('a mandate is the same until half of its life is over, and none is good for longer than that', async () => {
  const { clock, mandates } = await world();
  const asking = { person: 'ana', app: 'mural', session: 'of-ana' };
  const first = mandates.give(asking);
  clock.advance(4 * minuteMs);
  expect(mandates.give(asking)).toBe(first);
  clock.advance(2 * minuteMs);
  const second = mandates.give(asking);
  expect(second).not.toBe(first);
  expect([mandates.find(first, 'mural')?.person, mandates.find(second, 'mural')?.person]).toEqual(['ana', 'ana']);
  expect(mandates.give({ ...asking, session: 'other' })).not.toBe(second);
  expect(mandates.give({ ...asking, app: 'quadro' })).not.toBe(second);
  clock.advance(10 * minuteMs);
  expect(mandates.find(second, 'mural')).toBeNull();
});

test('another portal of the store knows a mandate, and one with another key does not', async () => {
  const { clock, mandates } = await world();
  const mandate = mandates.give({ person: 'ana', app: 'mural', session: 'of-ana' });
  expect(createMandates(clock, ring).find(mandate, 'mural')).toEqual({ person: 'ana', app: 'mural', session: 'of-ana' });
  expect(createMandates(clock, fixedRing(Buffer.alloc(32, 4))).find(mandate, 'mural')).toBeNull();
  // Its clock may differ by some seconds.
  const findAt = (skewMs: number) => createMandates(createManualClock(clock.nowMs() + skewMs), ring).find(mandate, 'mural')?.person;
  expect([-11_000, -10_000, -2_000, 2_000].map(findAt)).toEqual([undefined, 'ana', 'ana', 'ana']);
  // A text that was sealed for another use is no mandate.
  expect(
    mandates.find(seal(ring, 'room ticket', { person: 'ana', app: 'mural', session: 'of-ana', untilMs: clock.nowMs() + 1 }), 'mural'),
  ).toBeNull();
});

test('so many are kept to be given again: the oldest go, and stay good', () => {
  const mandates = createMandates(createManualClock(), ring, 10);
  const give = (n: number) => mandates.give({ person: 'ana', app: 'mural', session: `s${n}` });
  const [first, ...more] = Array.from({ length: 11 }, (_each, n) => give(n));
  expect(mandates.find(first!, 'mural')?.session).toBe('s0');
  expect(more.map((_each, n) => give(n + 1))).toEqual(more);
  expect(give(0)).not.toBe(first);
});
