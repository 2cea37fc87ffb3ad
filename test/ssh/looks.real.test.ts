/**
 * Losses and changes on a server over ssh, without a word to the portal, are seen and being mended by a resync, which comes every ten
 * seconds: three at once, so that they wait for the same one. Decision: docs/decisions/0085-one-look-one-command.md
 * @module-tag carries-state
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { until } from '../support/portal.ts';
import { createSshWorld, type SshWorld } from './world.ts';

/** A resync with its jitter, and the delay of a busy machine; engines are read anew by themselves only after a minute. */
const roundMsMax = 10_000 + 1_000 + 34_000;

let world: SshWorld;
beforeAll(async () => {
  world = await createSshWorld({ apps: ['notas'] });
  await world.whenState('Package/notas', 'installed', 60_000);
  await appendFile(
    world.file,
    '---\napiVersion: svc/v1\nkind: Package\nmetadata: { name: meu }\nspec: { app: relogio, versao: "1.0.0", server: sirius, instalacao: pessoa, pessoa: p0 }\n',
  );
  await world.whenState('Package/meu', 'installed', 60_000);
}, 180_000);
afterAll(() => world?.stop());

const system = (): string => join(world.sshd.dir, 'opt/svc-apps');
const own = (): string => join(world.people[0]!.account.home, '.local/share/svc-apps');

describe.concurrent('without a word', () => {
  test('a package of the server that is gone', async ({ expect }) => {
    rmSync(join(system(), 'notas'), { recursive: true });
    rmSync(join(system(), '.versions/notas'), { recursive: true });
    await until('it to be there again', () => existsSync(join(system(), 'notas/svc-app.json')), roundMsMax);
    expect((await world.whenState('Package/notas', 'installed')).details).toMatchObject({ installed: '1.0.0', previous: null });
  });

  test('one file deep in a package of a person’s own', async ({ expect }) => {
    const file = join(own(), 'relogio/frontend/index.html');
    const before = readFileSync(file, 'utf8');
    appendFileSync(file, 'changed');
    await until('it to be as it was', () => existsSync(file) && readFileSync(file, 'utf8') === before, roundMsMax);
    expect((await world.whenState('Package/meu', 'installed')).details['drift']).toBe(false);
  });

  test('an engine that comes, which nobody declares', async ({ expect }) => {
    const engine = join(world.sshd.dir, 'var/lib/svc-motores/notas/velho/1.0');
    mkdirSync(engine, { recursive: true });
    await until('it to be gone', () => !existsSync(engine), roundMsMax);
    await until('the object to be gone', async () => (await world.view('Engine/sirius/notas/velho/1.0')) === null);
    expect((await world.whenState('Package/notas', 'installed')).details).toMatchObject({ installed: '1.0.0' });
  });
});
