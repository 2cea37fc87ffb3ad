/** `svc.salas` and `svc.pessoas` the whole way: page, bridge, shell, portal, relay. Two people in profiles of their own, and the portal killed between. */
import { build } from 'esbuild';
import type { Frame } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openApp } from './support/browser.ts';
import { createRoomsWorld, makeRoom, type Desktop, type RoomsWorld } from './support/rooms-world.ts';

let world: RoomsWorld;
let yjs: string;

beforeAll(async () => {
  const made = build({
    stdin: {
      contents: `import * as Y from 'yjs'; import * as awarenessProtocol from 'y-protocols/awareness'; Object.assign(window, { Y, awarenessProtocol });`,
      resolveDir: import.meta.dirname,
    },
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'browser',
  });
  [world] = await Promise.all([createRoomsWorld(), made]);
  yjs = (await made).outputFiles[0]?.text ?? '';
});
afterAll(async () => {
  await world.stop();
});
afterEach(async () => {
  await world.closeAll();
});

/** The page of Caderno, with a yjs of its own for what the test joins beside the app. */
async function pageOf(desktop: Desktop): Promise<Frame> {
  await desktop.page
    .getByRole('button', { name: /^Caderno/ })
    .first()
    .waitFor();
  await openApp(desktop.page, 'Caderno');
  const element = await desktop.page.locator('iframe[title="Caderno"]').elementHandle();
  const frame = await element?.contentFrame();
  if (!frame) throw new Error('no frame');
  await frame.waitForFunction('window.svc?.noAmbiente === true');
  await frame.evaluate(yjs);
  return frame;
}
/** Joins and gives the connection the name `room`. */
const enter = async (frame: Frame, sala: string, options = '{}'): Promise<void> => {
  await frame.evaluate(`
    window.room = svc.salas.entrar('${sala}', { Y, awarenessProtocol, ...${options} });
    window.states = [room.estado];
    room.aoMudar(({ estado }) => states.push(estado));
    window.words = room.doc.getText('t'); undefined`);
};
const state = async (frame: Frame, wanted: string): Promise<void> => void (await frame.waitForFunction(`room.estado === '${wanted}'`));
const says = async (frame: Frame, words: string): Promise<void> =>
  void (await frame.waitForFunction(`words.toString() === ${JSON.stringify(words)}`));
const write = async (frame: Frame, words: string): Promise<void> =>
  await frame.evaluate(`words.insert(words.length, ${JSON.stringify(words)}); undefined`);

/** The role that the list says; null when the room isn't in it. */
const mine = async (frame: Frame, sala: string): Promise<unknown> =>
  await frame.evaluate(`svc.salas.listar().then(({ salas }) => salas.find(({ id }) => id === '${sala}')?.papel ?? null)`);

async function two(
  roles: Partial<Record<'bia', string>>,
): Promise<{ sala: string; ana: Frame; bia: Frame; owner: Desktop; guest: Desktop }> {
  const [owner, guest] = [await world.desktop('ana'), await world.desktop('bia')];
  const sala = await makeRoom(owner, 'Ata', roles);
  const [ana, bia] = [await pageOf(owner), await pageOf(guest)];
  return { sala, ana, bia, owner, guest };
}

describe('two people', () => {
  test('write in both channels and see each other as the portal says who they are', async () => {
    const { sala, ana, bia } = await two({ bia: 'editar' });
    await enter(ana, sala);
    await enter(bia, sala);
    await ana.evaluate(`room.presenca.setLocalStateField('user', { name: 'Outra Pessoa', color: '#000000' })`);
    await state(bia, 'sincronizado');
    await write(ana, 'olá');
    await says(bia, 'olá');
    await write(bia, ' também');
    await says(ana, 'olá também');
    const colour = await bia.evaluate<string>(`svc.pessoas.corDe('ana')`);
    await bia.waitForFunction(
      `[...room.presenca.getStates().values()].some(({ user }) => user?.name === 'Ana Souza' && user.color === '${colour}')`,
    );
    const version = `svc.salas.historico('${sala}').then(async ({ versoes: [now] }) => {
      if (now === undefined) return '';
      await svc.salas.nomearVersao('${sala}', now.versao, 'Fim');
      await svc.salas.trazerDeVolta('${sala}', now.versao);
      const { versoes } = await svc.salas.historico('${sala}');
      return versoes.map(({ nome }) => nome).join() + ': ' + (await (await svc.salas.versao('${sala}', now.versao, 'texto')).text()).trim();
    })`;
    await expect.poll(() => bia.evaluate(version)).toBe('Fim: olá também');
    for (const frame of [ana, bia]) await enter(frame, sala, `{ canal: 'comentarios' }`);
    await write(bia, 'um comentário');
    await says(ana, 'um comentário');
    expect(await ana.evaluate('room.estado')).toBe('sincronizado');
    // More than a frame takes, at once.
    await write(bia, 'x'.repeat(3_000_000));
    await ana.waitForFunction('words.length > 3_000_000', undefined, { timeout: 60_000 });
  });

  test('a viewer’s words stay here; with a better role they go to the room, and without any it is sem-acesso', async () => {
    const { sala, ana, bia } = await two({ bia: 'ver' });
    await enter(ana, sala);
    await enter(bia, sala);
    await write(ana, 'de ana');
    await says(bia, 'de ana');
    expect(await bia.evaluate('[room.papel, room.podeEscrever]')).toEqual(['ver', false]);
    await write(bia, ', de bia');
    await write(ana, '!');
    await bia.waitForFunction(`words.toString().includes('!')`);
    expect(await ana.evaluate('words.toString()')).toBe('de ana!');
    await ana.evaluate(`svc.salas.darAcesso('${sala}', 'bia', 'editar')`);
    await bia.waitForFunction(`room.podeEscrever`);
    await ana.waitForFunction(`words.toString().includes('de bia')`);
    await ana.evaluate(`svc.salas.tirarAcesso('${sala}', 'bia')`);
    await state(bia, 'sem-acesso');
    expect(await mine(bia, sala)).toBeNull();
  });

  test('hear of an invitation and of a deletion', async () => {
    const { sala, ana, bia } = await two({});
    await bia.evaluate(`window.heard = 0; svc.salas.ao('mudaram', () => heard++); undefined`);
    await ana.evaluate(`svc.salas.darAcesso('${sala}', 'bia', 'comentar')`);
    await bia.waitForFunction('heard > 0');
    expect(await mine(bia, sala)).toBe('comentar');
    await enter(bia, sala);
    await state(bia, 'sincronizado');
    await ana.evaluate(`svc.salas.apagar('${sala}')`);
    await state(bia, 'apagada');
    const code = await bia.evaluate(`svc.salas.ler('${sala}').catch(({ code, status }) => [code, status])`);
    expect(code).toEqual([expect.stringMatching(/^[A-Z_]+$/), 404]);
  });

  test('find each other without an e-mail, and keep bytes with the room', async () => {
    const { sala, ana, bia } = await two({ bia: 'ver' });
    expect(await ana.evaluate('svc.pessoas.eu()')).toMatchObject({ usuario: 'ana', nome: 'Ana Souza', login: 'ana', iniciais: 'AS' });
    const found = await ana.evaluate<{ pessoas: Record<string, unknown>[] }>(`svc.pessoas.buscar('bia')`);
    expect(found.pessoas.map(({ usuario }) => usuario)).toEqual(['bia']);
    const kept = await ana.evaluate<{ sha: string; tamanho: number; tipo: string }>(
      `svc.salas.anexar('${sala}', new Blob([Uint8Array.of(1, 2, 255)], { type: 'image/png' }))`,
    );
    expect(kept).toMatchObject({ tamanho: 3, tipo: 'image/png' });
    const seen = await bia.evaluate(
      `svc.salas.anexo('${sala}', '${kept.sha}').then(async (blob) => [blob.type, ...new Uint8Array(await blob.arrayBuffer())])`,
    );
    expect(seen).toEqual(['image/png', 1, 2, 255]);
  });
});

describe('the portal goes and comes back', () => {
  test('what was written meanwhile meets, also of a page that was closed before', async () => {
    const { sala, ana, bia, owner } = await two({ bia: 'editar' });
    await enter(ana, sala);
    await enter(bia, sala);
    await state(bia, 'sincronizado');
    await write(ana, 'antes');
    await says(bia, 'antes');
    await world.portal.kill();
    await Promise.all([state(ana, 'fora'), state(bia, 'fora')]);
    await write(ana, ' de ana');
    await write(bia, ' de bia');
    await ana.evaluate('room.sair()');
    await owner.page.close();
    await world.portal.again();
    await bia.waitForFunction(`room.estado === 'sincronizado'`, undefined, { timeout: 60_000 });
    expect(await bia.evaluate('words.toString()')).toBe('antes de bia');
    const page = await owner.page.context().newPage();
    await page.goto(`http://svc.localhost:${world.portal.port}/`);
    const back = await pageOf({ ...owner, page });
    await enter(back, sala);
    await bia.waitForFunction(`words.toString().includes('de ana')`);
    expect(await bia.evaluate('words.toString()')).toBe(await back.evaluate('words.toString()'));
  });

  test('another person at the same browser gets nothing of it', async () => {
    const owner = await world.desktop('ana');
    const sala = await makeRoom(owner, 'Só de ana');
    const ana = await pageOf(owner);
    await enter(ana, sala);
    await state(ana, 'sincronizado');
    await write(ana, 'segredo');
    await ana.evaluate('room.sair()');
    // The page that asks is loaded again when its session ends, and may take the answer with it.
    const left = owner.page.waitForEvent('load');
    await Promise.race([left, owner.call('DELETE', '/api/sessao').catch(() => undefined)]);
    const { body } = await world.portal.admin('POST', '/api/admin/links', { person: 'bia', admin: false });
    const page = await owner.page.context().newPage();
    await owner.page.close();
    await page.goto((body as { readonly link: string }).link);
    const bia = await pageOf({ ...owner, page });
    await enter(bia, sala);
    await bia.waitForFunction(`room.estado === 'apagada' || room.estado === 'sem-acesso'`);
    expect(await bia.evaluate('words.toString()')).toBe('');
  });
});
