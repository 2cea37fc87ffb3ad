import { fastify } from 'fastify';
import { expect, test } from 'vitest';
import { lazySchemas } from './lazy-schemas.ts';
import { createPortalWorld } from '../testing/portal-world.ts';

test('every schema of every route can be made', async () => {
  const schemas = lazySchemas();
  const portal = await createPortalWorld({ schemas });
  try {
    expect(schemas.compileAll()).toBeGreaterThan(100);
  } finally {
    await portal.close();
  }
});

test('a schema with a mistake throws where it is needed', async () => {
  const schemas = lazySchemas();
  const app = fastify({ schemaController: { compilersFactory: schemas.factories } });
  app.post('/', { schema: { body: { type: 'gibtsnicht' } } }, () => 'never');
  await app.ready();
  expect(() => schemas.compileAll()).toThrow(/must be equal to one of the allowed values/);
  expect((await app.inject({ method: 'POST', url: '/', payload: {} })).statusCode).toBe(500);
  await app.close();
});

test('judges a request and writes an answer as the schemas say, again and again', async () => {
  const app = fastify({ schemaController: { compilersFactory: lazySchemas().factories } });
  const body = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
  const answer = { type: 'object', properties: { n: { type: 'integer' } } };
  app.post('/', { schema: { body, response: { 200: answer } } }, () => ({ n: 1, secret: 'is not in the schema' }));
  await app.ready();
  for (let round = 0; round < 2; round += 1) {
    const refused = await app.inject({ method: 'POST', url: '/', payload: {} });
    expect([refused.statusCode, refused.json<{ message: string }>().message]).toEqual([400, "body must have required property 'n'"]);
    const taken = await app.inject({ method: 'POST', url: '/', payload: { n: 1 } });
    expect([taken.statusCode, taken.body]).toEqual([200, '{"n":1}']);
  }
  await app.close();
});
