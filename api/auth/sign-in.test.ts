/** Signing in by login and password, and the list of sessions, over real HTTP; the servers' word on passwords is the test's. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createPortalWorld, navigation, type Browser, type PortalWorld } from '../testing/portal-world.ts';
import { SvcError } from '../../schema/errors.ts';

const right = 'correct horse battery staple';
let portal: PortalWorld;
/** The questions that reached the servers. */
let asked: (readonly [string, string])[];

beforeEach(async () => {
  asked = [];
  portal = await createPortalWorld();
  portal.world.signIn = { ssh: true, oidc: null, passkey: false };
  portal.world.checkPassword = async (login, password) => {
    asked.push([login, password]);
    return password === right ? { kind: 'accepted', usuario: login } : { kind: 'refused', serverMessage: null };
  };
});
afterEach(() => portal.close());

const advance = (ms: number): void => void ('advance' in portal.clock && portal.clock.advance(ms));
const enter = (browser: Browser, login = 'ana', senha = right) => browser.call('POST', '/api/sessao', { login, senha });

describe('login and password', () => {
  test('open a session without admin rights, and make the browser known', async () => {
    const browser = portal.browser();
    const answer = await enter(browser);
    expect([answer.status, answer.json()]).toMatchObject([200, { usuario: 'ana', admin: false }]);
    expect(answer.headers['set-cookie']).toEqual([
      expect.stringMatching(/^__Host-svc=[\w-]{43}; Path=\/; Max-Age=7776000; HttpOnly; SameSite=Lax; Secure$/),
      expect.stringMatching(/^__Host-svc-conhecido=/),
    ]);
    expect((await browser.call('GET', '/api/apps')).status).toBe(200);
    expect((await portal.store.sessionsOf('ana', 0))[0]).toMatchObject({ method: 'ssh', address: '127.0.0.1' });
  });

  test('leave no trace of the password: not in the log, not in the store, not in an answer', async () => {
    const secret = 'a-password-that-nobody-shall-see';
    const browser = portal.browser();
    await enter(browser, 'ana', secret);
    await browser.call('POST', '/api/sessao', { login: 'ana', senha: secret, more: 1 });
    await browser.call('POST', '/api/sessao', { login: 'ana\n', senha: secret });
    await browser.call('POST', '/api/sessao', { senha: secret });
    await browser.call('POST', '/api/sessao', { login: 'ana', senha: `${secret}\0` });
    await browser.call('POST', '/api/sessao', { login: 'ana', senha: secret.repeat(40) });
    await browser.request('/api/sessao', {
      method: 'POST',
      headers: { origin: portal.url, 'content-type': 'application/json' },
      body: `{"login":"ana","senha":"${secret}"`,
    });
    await portal.control('POST', '/api/sessao', { login: 'ana', senha: secret });
    expect(asked.length).toBeGreaterThan(0);
    const seen = [
      portal.logLines.join(''),
      Buffer.concat(portal.received).toString(),
      JSON.stringify(await portal.store.sessionsOf('ana', 0)),
    ];
    expect(seen.join('')).not.toContain(secret);
    expect(portal.logLines.join('')).toContain('"sign-in refused"');
  });

  test('a refusal is told with the login, but not with what can be none: it may be a password in the wrong field', async () => {
    for (const login of ['zoe', 'a pass word', 'c0rrect!horse', 'x'.repeat(65)]) await enter(portal.browser(), login, 'wrong');
    const lines = portal.logLines.filter((line) => line.includes('"sign-in refused"'));
    expect(lines.map((line) => (JSON.parse(line) as { readonly login?: string }).login)).toEqual(['zoe', undefined, undefined, undefined]);
  });

  test.for([
    [{ login: 'ana', senha: '' }],
    [{ login: '', senha: 'x' }],
    [{ login: 'a'.repeat(129), senha: 'x' }],
    [{ login: 'ana', senha: 'x'.repeat(1_025) }],
    [{ login: 'ana', senha: 'a\0b' }],
    [{ login: 'an\na', senha: 'x' }],
    [{ login: 'ana', senha: 'x', passe: 'y' }],
    [{ login: ['ana'], senha: 'x' }],
    [{ login: 'ana' }],
    [[]],
    [null],
  ] as const)('%j is refused before anybody is asked', async ([body]) => {
    expect((await portal.browser().call('POST', '/api/sessao', body)).status).toBe(400);
    expect(asked).toEqual([]);
  });

  test('an unknown login answers as a wrong password does', async () => {
    const [wrong, unknown] = [await enter(portal.browser(), 'ana', 'x'), await enter(portal.browser(), 'zoe', 'x')];
    expect([wrong.status, wrong.text]).toEqual([401, unknown.text]);
    expect(wrong.headers['set-cookie']).toBeUndefined();
  });

  test.for([
    [{ kind: 'expired', serverMessage: 'You are required to change your password immediately.' }, 403, 'PASSWORD_EXPIRED'],
    [{ kind: 'asks-more', serverMessage: 'Verification code:' }, 403, 'SIGN_IN_ASKS_MORE'],
    [{ kind: 'refused', serverMessage: 'Your account has expired.' }, 401, 'CREDENTIALS_REFUSED'],
  ] as const)('the text of the server reaches the person: %o', async ([verdict, status, code]) => {
    portal.world.checkPassword = async () => verdict;
    const answer = await enter(portal.browser());
    expect([answer.status, answer.json()]).toMatchObject([status, { code, told: verdict.serverMessage }]);
    expect(await portal.store.sessionsOf('ana', 0)).toEqual([]);
  });

  test('a server out of reach is no wrong password', async () => {
    portal.world.checkPassword = async () => {
      throw new SvcError('SERVER_UNREACHABLE', 'no answer');
    };
    for (let count = 0; count < 30; count += 1) expect((await enter(portal.browser())).status).toBe(503);
    portal.world.checkPassword = async (login) => ({ kind: 'accepted', usuario: login });
    expect((await enter(portal.browser())).status).toBe(200);
  });

  test('forty people behind one address come in one after the other, their passwords being right', async () => {
    portal.world.checkPassword = async () => ({ kind: 'accepted', usuario: 'ana' });
    const statuses: number[] = [];
    for (let person = 0; person < 40; person += 1) statuses.push((await enter(portal.browser(), `person${person}`)).status);
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
  });

  test('what goes wrong on the way to a server is the same for every login, and stands in the log', async () => {
    const faults: Readonly<Record<string, Error>> = {
      ana: new SvcError('SERVER_UNREACHABLE', 'no ssh connection to acc-ana@10.9.8.7:2244: ECONNREFUSED'),
      bia: new SvcError('HOST_KEY_CHANGED', '10.9.8.7:2244 shows SHA256:seen, pinned is SHA256:pin', { seen: ['SHA256:seen'] }),
      zoe: new SvcError('SERVER_UNREACHABLE', 'no ssh connection to svc-nobody@10.9.8.7:2244: ETIMEDOUT'),
      eva: new SvcError('NOT_FOUND', '"acc eva" can\'t be the name of an account'),
      leo: Object.assign(new Error('getaddrinfo ENOTFOUND sirius.lan'), { code: 'ENOTFOUND' }),
    };
    portal.world.checkPassword = async (login) => {
      throw faults[login] ?? new Error('nobody');
    };
    const answers: string[] = [];
    for (const login of Object.keys(faults)) {
      const { status, text } = await enter(portal.browser(), login, 'a-wrong-one');
      answers.push(`${status} ${text}`);
    }
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toMatch(/^503 .*"code":"PASSWORD_UNCHECKED"/);
    expect(answers[0]).not.toMatch(/acc|10\.9|2244|SHA256|ECONN|sirius|seen/);
    const log = portal.logLines.join('');
    for (const { message } of Object.values(faults)) expect(log).toContain(JSON.stringify(message).slice(1, -1));
    expect(log).toMatch(/"code":"HOST_KEY_CHANGED","why":"10\.9\.8\.7:2244 shows.*"sign-in refused"/);
    expect(log).not.toContain('a-wrong-one');
  });

  test('are not taken where the Portal document does not offer them', async () => {
    portal.world.signIn = { ssh: false, oidc: null, passkey: false };
    const answer = await enter(portal.browser());
    expect([answer.status, answer.json().code, asked]).toEqual([404, 'SIGN_IN_METHOD', []]);
  });

  test('a person whose document went while the server was asked does not get in', async () => {
    portal.world.checkPassword = async () => ({ kind: 'accepted', usuario: 'zoe' });
    expect((await enter(portal.browser(), 'zoe')).status).toBe(401);
  });

  test('replace the session that this browser had', async () => {
    const browser = await portal.signedIn('bia');
    await enter(browser);
    expect(await portal.store.sessionsOf('bia', 0)).toEqual([]);
    expect((await browser.call('GET', '/api/sessao')).json().usuario).toBe('ana');
  });

  test('guessing ends with 429 and the time to wait, and asks no server any more', async () => {
    const browser = portal.browser();
    const statuses: number[] = [];
    for (let count = 0; count < 8; count += 1) statuses.push((await enter(browser, 'ana', `x${count}`)).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429, 429]);
    expect(asked).toHaveLength(5);
    const limited = await enter(browser);
    expect([limited.status, limited.headers['retry-after'], asked.length]).toEqual([429, '60', 5]);
    advance(60_000);
    expect((await enter(browser)).status).toBe(200);
  });

  test('a browser that signed in before still gets in while somebody guesses from its own address', async () => {
    const ana = portal.browser();
    await enter(ana);
    await ana.call('DELETE', '/api/sessao');
    const attacker = portal.browser();
    for (let count = 0; count < 8; count += 1) await enter(attacker, 'ana', 'x');
    expect((await enter(attacker)).status).toBe(429);
    expect((await enter(ana, 'ana', 'mistyped')).status).toBe(401);
    expect((await enter(ana)).status).toBe(200);
  });

  test('the link works besides, whatever was guessed', async () => {
    for (let count = 0; count < 30; count += 1) await enter(portal.browser(), 'ana', 'x');
    const link = await portal.portal.signInLink('ana');
    expect((await portal.browser().request(link.slice(portal.url.length), { headers: navigation })).status).toBe(302);
  });
});

test('the ways to sign in are told to anybody, without secrets', async () => {
  const read = async () => (await portal.browser().request('/api/sessao/metodos')).json();
  expect(await read()).toEqual({ link: true, ssh: true, oidc: null, passkey: false });
  const clientSecret = async () => 'hush';
  const oidc = {
    issuer: 'https://id.example.org/x',
    clientId: 'svc',
    clientSecret,
    clientSecretFrom: 'a',
    claim: 'email',
    scopes: [],
    claimsOfPeople: [],
    label: null,
  };
  portal.world.signIn = { ssh: false, passkey: false, oidc };
  expect(await read()).toEqual({ link: true, ssh: false, passkey: false, oidc: { label: 'id.example.org' } });
  portal.world.signIn = { ssh: false, passkey: false, oidc: { ...oidc, label: 'Universidade' } };
  expect(await read()).toEqual({ link: true, ssh: false, passkey: false, oidc: { label: 'Universidade' } });
});

test('who is turned away by a link or a closed account is in the log with address and login, without the secret', async () => {
  const { people } = portal.world.gateway;
  const { find } = people;
  people.find = (usuario) => {
    const found = find(usuario);
    return found && { ...found, isClosed: true };
  };
  const passe = new URL(await portal.portal.signInLink('ana')).searchParams.get('passe') ?? '';
  const unknown = 'x'.repeat(43);
  expect((await enter(portal.browser())).json()['code']).toBe('ACCOUNT_CLOSED');
  for (const each of [passe, unknown]) await portal.browser().call('POST', '/api/sessao', { passe: each });
  await portal.browser().call('POST', '/api/sessao/link', { passe: unknown });
  const lines = portal.logLines.filter((line) => line.includes('"sign-in refused"'));
  const told = lines.map((line) => JSON.parse(line) as { method: string; code: string; login?: string; address: string });
  expect(told.map(({ method, code, login, address }) => [method, code, login, address])).toEqual([
    ['ssh', 'ACCOUNT_CLOSED', 'ana', '127.0.0.1'],
    ['link', 'ACCOUNT_CLOSED', 'ana', '127.0.0.1'],
    ['link', 'PASS_REFUSED', undefined, '127.0.0.1'],
    ['link', 'PASS_REFUSED', undefined, '127.0.0.1'],
  ]);
  expect(lines.join('')).not.toMatch(new RegExp(`${passe}|${unknown}`));
});

test('what the person should know about their account is told', async () => {
  const notice = { reason: 'LingerBroken', message: 'what runs on sirius ends with the last login there' } as const;
  const { people } = portal.world.gateway;
  const { find } = people;
  people.find = (usuario) => {
    const found = find(usuario);
    return found && { ...found, notice };
  };
  expect((await enter(portal.browser())).json().aviso).toEqual(notice);
});

describe('where I am signed in', () => {
  test('is listed, this one marked', async () => {
    const [one, two] = [portal.browser(), portal.browser()];
    await enter(one);
    advance(1_000);
    await enter(two);
    await portal.signedIn('bia');
    const { sessoes } = (await one.call('GET', '/api/sessoes')).json();
    expect(sessoes).toMatchObject([
      { method: 'ssh', current: false },
      { method: 'ssh', current: true, address: '127.0.0.1', admin: false },
    ]);
  });

  test('one is ended: its pages, its apps, its sockets and its streams, at once', async () => {
    await portal.world.backend('ana', 'notas').start();
    const [mine, lost] = [portal.browser(), portal.browser()];
    await enter(mine);
    advance(1_000);
    await enter(lost);
    await lost.visit(`http://${portal.appHost('notas')}/x`);
    const events = lost.socket('/ws/events');
    const tunnel = lost.socket('/socket', {
      host: portal.appHost('notas'),
      origin: `http://${portal.appHost('notas')}`,
      cookie: lost.cookies.get(portal.appHost('notas')) ?? '',
    });
    await Promise.all([events, tunnel].map((socket) => new Promise((resolve) => socket.once('open', resolve))));
    const following = lost.request('/api/apps/notas/log?seguir=1').then(
      () => 'ended in order',
      () => 'cut off',
    );
    const closed = [events, tunnel].map((socket) => new Promise<number>((resolve) => socket.once('close', resolve)));
    tunnel.on('error', () => {});
    const { sessoes } = (await mine.call('GET', '/api/sessoes')).json();
    const other = (sessoes as { id: string; current: boolean }[]).find(({ current }) => !current);
    expect((await mine.call('DELETE', `/api/sessoes/${other?.id}`)).status).toBe(204);
    expect(await Promise.all(closed)).toMatchObject([4401, expect.any(Number)]);
    expect(await following).toBe('cut off');
    expect((await lost.call('GET', '/api/sessao')).status).toBe(401);
    expect((await lost.request('/x', { headers: { host: portal.appHost('notas') } })).status).toBe(401);
    expect((await mine.call('GET', '/api/sessao')).status).toBe(200);
  });

  test('nobody ends a session of somebody else', async () => {
    const [ana, bia] = [await portal.signedIn('ana'), await portal.signedIn('bia')];
    const [listed] = (await ana.call('GET', '/api/sessoes')).json().sessoes;
    expect((await bia.call('DELETE', `/api/sessoes/${listed.id}`)).status).toBe(404);
    expect((await bia.call('DELETE', '/api/sessoes/short')).status).toBe(400);
    expect((await ana.call('GET', '/api/sessao')).status).toBe(200);
  });

  test('all others, or all, are ended', async () => {
    const [one, two, bia] = [await portal.signedIn('ana'), await portal.signedIn('ana'), await portal.signedIn('bia')];
    expect((await one.call('DELETE', '/api/sessoes?outras=1')).json()).toEqual({ encerradas: 1 });
    expect([(await one.call('GET', '/api/sessao')).status, (await two.call('GET', '/api/sessao')).status]).toEqual([200, 401]);
    expect((await one.call('DELETE', '/api/sessoes')).json()).toEqual({ encerradas: 1 });
    expect(one.cookies.get(portal.host)).toBeUndefined();
    expect((await bia.call('GET', '/api/sessao')).status).toBe(200);
  });

  test('one that ended by its age carries nothing any longer', async () => {
    await portal.world.backend('ana', 'notas').start();
    const browser = await portal.signedIn('ana');
    await browser.visit(`http://${portal.appHost('notas')}/x`);
    const tunnel = browser.socket('/socket', {
      host: portal.appHost('notas'),
      origin: `http://${portal.appHost('notas')}`,
      cookie: browser.cookies.get(portal.appHost('notas')) ?? '',
    });
    tunnel.on('error', () => {});
    await new Promise((resolve) => tunnel.once('open', resolve));
    const closed = new Promise((resolve) => tunnel.once('close', resolve));
    for (const { tokenHash } of await portal.store.sessionsOf('ana', 0)) await portal.store.deleteSession(tokenHash);
    advance(25_000);
    await closed;
    expect(tunnel.readyState).toBe(tunnel.CLOSED);
  });

  test('the admin sees everybody’s and ends them, over the control socket', async () => {
    const [ana, bia] = [await portal.signedIn('ana'), await portal.signedIn('bia')];
    await portal.signedIn('ana');
    const all = (await portal.control('GET', '/api/admin/sessions')).json().sessions;
    expect(all.map(({ person }: { person: string }) => person).toSorted()).toEqual(['ana', 'ana', 'bia']);
    const [listed] = (await portal.control('GET', '/api/admin/sessions?person=bia')).json().sessions;
    expect((await portal.control('DELETE', `/api/admin/sessions/bia/${listed.id}`)).json()).toEqual({ encerradas: 1 });
    expect((await portal.control('DELETE', `/api/admin/sessions/bia/${listed.id}`)).status).toBe(404);
    expect((await bia.call('GET', '/api/sessao')).status).toBe(401);
    expect((await portal.control('DELETE', '/api/admin/sessions/ana')).json()).toEqual({ encerradas: 2 });
    expect((await ana.call('GET', '/api/sessao')).status).toBe(401);
    expect((await portal.control('GET', '/api/admin/sessions?person=zoe')).status).toBe(404);
  });
});
