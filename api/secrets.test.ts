import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { limits } from './limits.ts';
import { limits as sharedLimits } from '../schema/limits.ts';
import { createPortalWorld, type Browser, type PortalWorld } from './testing/portal-world.ts';

let portal: PortalWorld;
let ana: Browser;

beforeAll(async () => {
  portal = await createPortalWorld();
  ana = await portal.signedIn('ana');
});
afterAll(() => portal.close());

const canary = 'canary-4d1f9a "\\ é';
const path = '/api/apps/notas/segredos';
const raw = (body: string, type = 'application/json') =>
  ana.request(`${portal.url}${path}/API_KEY`, {
    method: 'PUT',
    headers: { 'content-type': type, origin: portal.url, 'sec-fetch-site': 'same-origin' },
    body,
  });

describe('secrets over HTTP', () => {
  test('are named, set, replaced and deleted, and never come back', async () => {
    const names = await ana.call('GET', path);
    expect([names.status, names.headers['cache-control']]).toEqual([200, 'no-store']);
    expect(names.json()).toEqual({
      secrets: [{ name: 'API_KEY', description: 'the key', required: true, declared: true, set: false }],
      restartNeeded: false,
    });
    for (const value of [canary, `${canary}2`]) {
      const put = await ana.call('PUT', `${path}/API_KEY`, { value });
      expect([put.status, put.json().secrets[0].set]).toEqual([200, true]);
      expect(portal.world.vault('ana', 'notas').get('API_KEY')).toBe(value);
    }
    expect(portal.world.vault('bia', 'notas').size).toBe(0);
    expect((await ana.call('DELETE', `${path}/API_KEY`)).json().secrets[0].set).toBe(false);
    expect(portal.world.vault('ana', 'notas').size).toBe(0);
  });

  test.for([
    ['/API_KEY', {}, 400],
    ['/API_KEY', { value: '' }, 400],
    ['/API_KEY', { value: 7 }, 400],
    ['/API_KEY', { value: [canary] }, 400],
    ['/API_KEY', { value: canary, more: canary }, 400],
    ['/API_KEY', { value: `${canary}${'x'.repeat(sharedLimits.secretValueBytesMax)}` }, 400],
    ['/api_key', { value: canary }, 400],
    ['/..%2fAPI', { value: canary }, 400],
    [`/${'A'.repeat(65)}`, { value: canary }, 400],
    ['/OTHER', { value: canary }, 404],
  ] as const)('PUT %s of the wrong shape: %j', async ([name, body, status]) => {
    const answer = await ana.call('PUT', `${path}${name}`, body);
    expect(answer.status).toBe(status);
    expect(answer.text).not.toContain('4d1f9a');
  });

  test.for([
    ['a NUL', `${canary}\0`, 422, 'SECRET_REFUSED', /NUL.*base64/],
    ['half a character', `${canary}\ud800`, 422, 'SECRET_REFUSED', /Unicode.*base64/],
    ['too many bytes in few characters', 'é'.repeat(sharedLimits.secretValueBytesMax - 1), 413, 'TOO_LARGE', /at most \d+ bytes/],
  ] as const)('a value with %s says what to do, to a person and to an admin', async ([, value, status, code, says]) => {
    for (const answer of [
      await ana.call('PUT', `${path}/API_KEY`, { value }),
      await portal.control('PUT', '/api/admin/backends/bia/notas/segredos/API_KEY', { value }),
    ]) {
      expect([answer.status, answer.json()]).toMatchObject([status, { code, detail: expect.stringMatching(says) }]);
      expect(answer.text).not.toContain('4d1f9a');
    }
    expect(portal.world.vault('bia', 'notas').size).toBe(0);
  });

  test('a body that is no JSON, no JSON type or too large is refused without being repeated', async () => {
    for (const answer of [
      await raw(`{"value": ${canary}`),
      await raw(`{"value":"${canary.slice(0, 8)}4d1f9a"`),
      await raw(`value=${canary}`, 'application/x-www-form-urlencoded'),
      await raw(JSON.stringify({ value: `canary-4d1f9a${'x'.repeat(limits.apiBodyBytesMax)}` })),
      await raw('{"__proto__":{"value":"canary-4d1f9a"}}'),
    ]) {
      expect([400, 413, 415]).toContain(answer.status);
      expect(answer.text).not.toContain('4d1f9a');
    }
  });

  test('an app that is not there is told', async () => {
    expect((await ana.call('PUT', '/api/apps/nenhum/segredos/API_KEY', { value: canary })).status).toBe(404);
    expect((await ana.call('GET', '/api/apps/nenhum/segredos')).status).toBe(404);
  });

  test('an admin sets them for a person over the control socket; a person may not for another', async () => {
    const put = await portal.control('PUT', '/api/admin/backends/bia/notas/segredos/API_KEY', { value: canary });
    expect(put.json().secrets[0].set).toBe(true);
    expect(portal.world.vault('bia', 'notas').get('API_KEY')).toBe(canary);
    expect((await ana.call('DELETE', '/api/admin/backends/bia/notas/segredos/API_KEY')).status).toBe(403);
    expect((await ana.call('GET', '/api/admin/backends/bia/notas/segredos')).status).toBe(403);
    expect((await portal.control('DELETE', '/api/admin/backends/bia/notas/segredos/API_KEY')).status).toBe(200);
    expect(portal.world.vault('bia', 'notas').size).toBe(0);
  });

  test('a value in the place of the name is not logged, however the path is spelled', async () => {
    for (const at of [
      'canary-4d1f9a',
      'CANARY_4D1F9A',
      'canary/4d1f9a',
      '%63anary%2F4d1f9a',
      'canary-4d1f9a/',
      `4d1f9a${'x'.repeat(200)}`,
    ]) {
      expect((await ana.call('PUT', `${path}/${at}`, { value: canary })).status).toBeGreaterThanOrEqual(400);
      if (at !== 'CANARY_4D1F9A') await ana.call('DELETE', `${path}/${at}`);
      await portal.control('PUT', `/api/admin/backends/bia/notas/segredos/${at}`, { value: canary });
    }
    for (const folder of ['segr%65dos', 'Segredos', 'segredos%2f', '/segredos']) {
      await ana.call('PUT', `/api/apps/notas/${folder}/canary-4d1f9a`, { value: canary });
    }
    const log = portal.logLines.join('');
    expect(log).toContain('"path":"/api/apps/notas/segredos/:nome"');
    expect(log).toContain('"path":"/api/admin/backends/bia/notas/segredos/:nome"');
    expect(log).not.toMatch(/4d1f9a/i);
  });

  test('no answer and no line of the log held a value; the log says who set what', async () => {
    await ana.call('PUT', `${path}/API_KEY`, { value: canary });
    const log = portal.logLines.join('');
    expect(log).toMatch(/"person":"ana","app":"notas","secret":"API_KEY","by":"person".*secret set/);
    expect(log).toMatch(/"person":"bia","app":"notas","secret":"API_KEY","by":"admin".*secret set/);
    expect(log).not.toContain('4d1f9a');
    expect(Buffer.concat(portal.received).includes('4d1f9a')).toBe(false);
  });
});
