/**
 * `svc.capabilities()` is the set of verbs that answer: each is called, in a window of the desktop and in a tab without it. And what the desktop
 * draws for them: questions over the window that asks. The bridge itself, and windows that get there by themselves.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FrameLocator, Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { events, publicNames, verbNames, verbs } from '../../schema/bridge/verbs.ts';
import { until, type RunningPortal } from '../support/portal.ts';
import { axeFindings, axeInBothThemes, boxOf, dialogOf, drag, frameOf, openApp, useDesk, windowOf } from './support/browser.ts';
import { asksPerson, called, calling, picks, type Public } from './support/verb-calls.ts';

let portal: RunningPortal;
let page: Page;
let notas: FrameLocator;

useDesk(
  (made) => {
    ({ portal, page } = made);
    notas = frameOf(page, 'Notas');
  },
  ['notas', 'relogio', 'cai'],
  'whole',
);

/** Runs a script in the page of Notas; what it answers comes back. */
const inNotas = async <T>(script: string): Promise<T> => (await notas.locator('body').evaluate(`(async () => { ${script} })()`)) as T;

const ask = async (name: Public): Promise<string> => await notas.locator('body').evaluate<string, unknown>(calling(name));
const picture = async (name: string): Promise<void> => {
  const pictures = process.env['SVC_PICTURES'];
  if (pictures !== undefined) await page.screenshot({ path: join(pictures, `${name}.png`) });
};
/** The page takes the focus when the note is there: a question that comes before that would lose it. */
const newNote = async (): Promise<void> => {
  await notas.getByRole('button', { name: 'Nova nota' }).click();
  await expect.poll(async () => await notas.getByLabel('Título').evaluate((field) => field === document.activeElement)).toBe(true);
};
const question = (): ReturnType<Page['locator']> => windowOf(page, 'Notas').getByRole('alertdialog');

test('every verb of the table is called here', () => {
  expect(called.toSorted()).toEqual(verbNames.filter((name) => verbs[name].by !== 'inner').toSorted());
});

describe('inside', () => {
  beforeEach(async () => {
    await openApp(page, 'Notas');
    await notas.getByRole('button', { name: 'Nova nota' }).waitFor();
  });

  test('what is listed answers, each name of it, and nothing else is there', async () => {
    const listed = await notas.locator('body').evaluate<string[], unknown>('svc.capabilities().then(({ verbos }) => verbos)');
    expect(listed).toEqual(publicNames);
    const there = await notas.locator('body').evaluate<string[], unknown>(`Object.entries(svc).flatMap(([name, part]) =>
      typeof part === 'function' ? [name] : typeof part === 'object' ? Object.keys(part).map((own) => name + '.' + own) : [])`);
    expect([...there, ...Object.keys(events)].toSorted()).toEqual(listed.toSorted());
    const answers = new Map<string, string>();
    for (const name of called.filter((each) => each !== 'window.close' && !asksPerson(each))) {
      answers.set(name, await ask(name));
      if (name === 'window.menuDoCabecalho') await page.keyboard.press('Escape');
    }
    for (const name of called.filter(asksPerson)) {
      const answer = ask(name);
      // A picker is over the whole desktop.
      await (picks(name) ? page.getByRole('dialog', { name: 'Notas: ' }) : question()).waitFor();
      await page.keyboard.press('Escape');
      answers.set(name, await answer);
    }
    const refused = /verbo-desconhecido|argumentos-invalidos|sem-resposta|fora do ambiente|TypeError/;
    expect([...answers].filter(([, answer]) => refused.test(answer))).toEqual([]);
    expect(answers.get('salas.ler')).toBe('error NOT_FOUND');
    expect(answers.get('dialogo.confirmar')).toBe('value null');
    expect([answers.get('arquivos.pasta'), answers.get('disco.ler')]).toEqual(['value null', 'error sem-permissao']);
    expect(answers.get('gpu.estado')).toContain('"declarada":false');
    expect(answers.get('app.capacidades')).toMatch(/"host":"svc","shellVersion":"\d+\.\d+\.\d+"/);
    void notas
      .locator('body')
      .evaluate('void svc.window.close()')
      .catch(() => undefined);
    await windowOf(page, 'Notas').waitFor({ state: 'detached' });
  });

  test('however long its text is, a question says whose it is above its field, and shows its answers', async () => {
    const before = page.viewportSize()!;
    await page.setViewportSize({ width: before.width, height: 360 });
    await newNote();
    const lines = `Array(16).fill('Senha deste computador').join('\\n')`;
    const answer = notas.locator('body').evaluate(`svc.dialogo.perguntar(${lines})`);
    await question().getByRole('textbox').scrollIntoViewIfNeeded();
    const isInSight = (one: Element): boolean => {
      const [form, own] = [one.closest('form')!.getBoundingClientRect(), one.getBoundingClientRect()];
      return own.top >= form.top - 1 && own.bottom <= form.bottom + 1;
    };
    expect(await question().locator('h3').evaluate(isInSight)).toBe(true);
    expect(await question().locator('.buttons').evaluate(isInSight)).toBe(true);
    await page.keyboard.press('Escape');
    expect(await answer).toBeNull();
    await page.setViewportSize(before);
  });

  test('a question names its app, takes the keyboard and gives it back; a second one is refused; the window can be closed', async () => {
    await newNote();
    const answer = ask('dialogo.confirmar');
    await question().getByText('Notas pergunta').waitFor();
    expect(await ask('dialogo.escolher')).toBe('error pedidos-demais');
    expect(await axeFindings(page)).toEqual([]);
    // Enter does not press the act that takes something away. A page that still took the keyboard has lost it again.
    const isFocused = (): Promise<boolean> =>
      question()
        .getByRole('button', { name: 'Não' })
        .evaluate((one) => one.matches(':focus'));
    await expect.poll(isFocused).toBe(true);
    await page.waitForTimeout(400);
    await question().getByRole('button', { name: 'Apagar' }).click();
    expect(await answer).toBe('value true');
    await question().waitFor({ state: 'detached' });

    const named = ask('dialogo.perguntar');
    await question().getByRole('textbox').fill('Bia');
    await page.waitForTimeout(400);
    await page.keyboard.press('Enter');
    expect(await named).toBe('value "Bia"');

    const chosen = ask('dialogo.escolher');
    await question().waitFor();
    await page.waitForTimeout(400);
    await question().getByRole('button', { name: 'dois' }).click();
    expect(await chosen).toBe('value "dois"');

    void ask('dialogo.confirmar').catch(() => undefined);
    await question().waitFor();
    await windowOf(page, 'Notas').getByRole('button', { name: 'Fechar' }).click();
    await windowOf(page, 'Notas').waitFor({ state: 'detached' });
  });

  test('what a page copies is what the person pastes into the question of another one', async () => {
    await newNote();
    expect(await ask('area.escrever')).toBe('value null');
    const read = ask('area.ler');
    await question().getByRole('textbox').waitFor();
    await page.waitForTimeout(400);
    await page.keyboard.press('Control+v');
    expect(await read).toBe('value "copiado"');
    await question().waitFor({ state: 'detached' });
  });

  test('a notice is in the bell of the person, with the name of the app, and leads back to the window and the place', async () => {
    await page.addInitScript(`addEventListener('DOMContentLoaded', () => {
      window.heard = [];
      window.svc?.app.ao('abertura', ({ rota }) => heard.push(rota));
    })`);
    await notas.locator('body').evaluate('void location.reload()');
    await expect.poll(async () => await notas.locator('body').evaluate('window.heard ?? null')).toEqual([]);
    expect(await notas.locator('body').evaluate(`svc.notificar('Cópia pronta', { rota: 'nota/pronta' })`)).toBeNull();
    const toast = page.getByRole('group', { name: 'Aviso que acabou de chegar' });
    await toast.getByText('Notas: Cópia pronta').waitFor();
    await picture('own-notice');
    await openApp(page, 'Relógio');
    await page.getByRole('button', { name: /^Avisos/ }).click();
    await dialogOf(page, 'Avisos').getByText('Notas: Cópia pronta').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await picture('own-notice-bell');
    await dialogOf(page, 'Avisos').getByRole('button', { name: 'Abrir Notas' }).first().click();
    await expect.poll(async () => await notas.locator('body').evaluate('window.heard')).toEqual(['nota/pronta']);
    await expect.poll(async () => await windowOf(page, 'Notas').evaluate((window) => window.hasAttribute('top'))).toBe(true);
  });

  test('more than ten notices at once are refused, with the time to wait', async () => {
    const answers = await notas.locator('body').evaluate<readonly string[], unknown>(`(async () => {
      const say = () => svc.notificar('de novo').then(() => 'kept', ({ code, retryAfterMs }) => code + ' ' + (retryAfterMs > 0));
      return await Promise.all(Array.from({ length: 14 }, say));
    })()`);
    expect(answers).toContain('RATE_LIMITED true');
    expect(answers.filter((answer) => answer === 'kept').length).toBeLessThanOrEqual(11);
  });

  test('the questions fit 320 px, in both themes, and pass axe', async () => {
    await newNote();
    for (const name of called.filter((each) => asksPerson(each) && !picks(each))) {
      const answer = ask(name);
      await question().waitFor();
      expect(await axeInBothThemes(page, { seen: async (suffix) => await picture(`${name}${suffix}`) })).toEqual([]);
      await page.setViewportSize({ width: 320, height: 640 });
      const fits = async (): Promise<boolean> => {
        const box = await question().boundingBox();
        return box !== null && box.x >= 0 && box.x + box.width <= 320;
      };
      await expect.poll(async () => [name, await fits()]).toEqual([name, true]);
      await picture(`${name}-320`);
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.keyboard.press('Escape');
      expect(await answer).toBe('value null');
    }
  });

  test('a question goes with the page that asked it', async () => {
    void ask('dialogo.confirmar').catch(() => undefined);
    await question().waitFor();
    await notas.locator('body').evaluate('void location.reload()');
    await question().waitFor({ state: 'detached' });
    expect(await windowOf(page, 'Notas').count()).toBe(1);
  });

  test('an opening that comes while the page is loaded again reaches the next page', async () => {
    await page.addInitScript(`document.addEventListener('readystatechange', () => {
      if (document.readyState !== 'interactive') return;
      window.heard = [];
      window.svc?.app.ao('abertura', ({ rota }) => heard.push(rota));
    })`);
    await page.reload();
    await notas.getByRole('button', { name: 'Nova nota' }).waitFor();
    // Requests of a page before it has a port go with it; a page that waited too long for one works as outside, until its port is there.
    await expect.poll(async () => await notas.locator('body').evaluate('svc.app.capacidades().then(({ host }) => host)')).toBe('svc');
    await page.route(/notas/, async (route) => {
      await new Promise((resolve) => {
        setTimeout(resolve, 500);
      });
      await route.continue();
    });
    // The page that is being left receives it too, as long as the portal has not answered.
    await notas.locator('body').evaluate(`{
      window.old = true;
      addEventListener('beforeunload', () => void svc.janela.abrir({ rota: 'nota/depois' }));
      location.reload();
    }`);
    await expect
      .poll(async () => await notas.locator('body').evaluate('window.old ? "the old page" : window.heard').catch(String))
      .toEqual(['nota/depois']);
  });

  test('maximises, goes back, minimises and closes its window', async () => {
    const born = await boxOf(windowOf(page, 'Notas'));
    await inNotas('await svc.window.maximize()');
    const area = await boxOf(page.getByRole('main'));
    await expect.poll(() => boxOf(windowOf(page, 'Notas'))).toEqual(area);
    await inNotas('await svc.window.alternarMaximizado()');
    await expect.poll(() => boxOf(windowOf(page, 'Notas'))).toEqual(born);
    await inNotas('await svc.window.minimize()');
    await windowOf(page, 'Notas').waitFor({ state: 'hidden' });
    await inNotas('svc.window.close(); return null');
    await windowOf(page, 'Notas').waitFor({ state: 'detached' });
  });

  test('drags its window from a title of its own', async () => {
    const born = await boxOf(windowOf(page, 'Notas'));
    await inNotas(`document.querySelector('h1').addEventListener('pointerdown', (event) => svc.window.arrastar(event))`);
    const title = await boxOf(notas.getByRole('heading', { name: 'Notas', exact: true }));
    await drag(page, { x: title.x + 10, y: title.y + 10 }, 60, 30);
    await until('the window followed', async () => {
      const { x, y } = await boxOf(windowOf(page, 'Notas'));
      return x === born.x + 60 && y === born.y + 30;
    });
    expect(await boxOf(windowOf(page, 'Notas'))).toMatchObject({ width: born.width, height: born.height });
  });

  test('with one window, opening a route reaches the window that is open', async () => {
    const opened = await inNotas<{ rota: string; nova: boolean }>(`
      const seen = new Promise((resolve) => svc.app.ao('abertura', resolve));
      const { nova } = await svc.janela.abrir({ rota: 'nota/nova' });
      return { nova, ...(await seen) };`);
    expect(opened).toEqual({ rota: 'nota/nova', nova: false });
    expect(await windowOf(page, 'Notas').count()).toBe(1);
  });

  // That the portal itself reads it no more is shown by session.real.test.ts.
  test('may set cookies for the whole domain, more than a backend gets: they are removed and everything goes on', async () => {
    const length = await inNotas<number>(`
      for (let n = 0; n < 6; n++) document.cookie = 'b' + n + '=' + 'x'.repeat(3000) + '; Path=/; Domain=svc.localhost';
      return document.cookie.length;`);
    expect(length).toBeGreaterThan(18_000);
    await page.reload();
    await notas.getByRole('button', { name: 'Nova nota' }).waitFor();
    const left = await page.context().cookies();
    expect(left.filter(({ domain }) => domain.startsWith('.'))).toEqual([]);
    expect(left.map(({ name }) => name)).toContain('__Host-svc');
  });

  test('that says hello without end gets few ports', async () => {
    const ports = await inNotas<number>(`
      let ports = 0;
      addEventListener('message', ({ data }) => data?.svc === 'porta' && ports++);
      for (let n = 0; n < 20000; n++) parent.postMessage({ svc: 'ola', v: 1 }, '*');
      const host = async () => (await svc.app.capacidades().catch(() => ({}))).host;
      while ((await host()) !== 'svc');
      return ports;`);
    expect(ports).toBeLessThan(200);
  });

  test('that asks without end is refused most of it, and then heard again', async () => {
    // On a machine that does much else the page gives up before it receives the refusal.
    const [refused, done] = await inNotas<readonly [number, number]>(`
      const asked = await Promise.allSettled(Array.from({ length: 20000 }, () => svc.window.maximize()));
      const isRefusal = ({ reason }) => ['pedidos-demais', 'sem-resposta'].includes(reason?.code);
      return [asked.filter(isRefusal).length, asked.filter(({ status }) => status === 'fulfilled').length];`);
    expect(refused).toBeGreaterThan(10_000);
    expect(done).toBeLessThan(10_000);
    await until('an answer later on', async () => await inNotas('return await svc.app.capacidades()').catch(() => null));
  });
});

test('outside each verb does what the table says', async () => {
  await openApp(page, 'Notas');
  await notas.getByRole('button', { name: 'Nova nota' }).waitFor();
  const address = await notas.locator('body').evaluate<string, unknown>('location.href');
  const tab = await page.context().newPage();
  tab.on('dialog', (dialog) => void (dialog.type() === 'prompt' ? dialog.accept('Bia') : dialog.accept()));
  await tab.addInitScript(`addEventListener('DOMContentLoaded', () => (window.early = svc.area.escrever('x').catch(({ code }) => code)))`);
  await tab.goto(address);
  expect(await tab.evaluate('window.early')).toBe('sem-gesto');
  expect(await tab.evaluate('svc.noAmbiente')).toBe(false);
  const answers: Record<string, string> = {};
  for (const name of called) if (name !== 'window.close') answers[name] = await tab.evaluate<string>(calling(name));
  const own: Readonly<Record<string, string>> = {
    capabilities: 'value {"host":"none","shellVersion":null,"verbos":[]}',
    'app.capacidades': 'value {"host":"none","shellVersion":null,"verbos":[]}',
    'app.ao': 'function',
    'salas.ao': 'function',
    'salas.entrar': 'connection',
    'fila.disponivel': `value {"disponivel":false,"motivo":"fora do ambiente","codigo":"FORA_DO_AMBIENTE"}`,
    'dialogo.confirmar': 'value true',
    'dialogo.perguntar': 'value "Bia"',
    notificar: 'value null',
    'window.abrir': 'value {"nova":true}',
    'janela.abrir': 'value {"nova":true}',
    'janela.naoSalvo': 'value null',
    'gpu.concedida': 'value {"concedida":false,"dispositivos":[],"motivo":"fora do ambiente"}',
    'gpu.estado': 'value {"concedida":false,"dispositivos":[],"motivo":"fora do ambiente","declarada":false,"modo":null}',
    'apps.listar': 'value []',
    'apps.pedir': 'value {}',
    'configuracoes.ligada': 'value false',
    'fila.listar': 'value []',
    'salas.listar': 'value {"salas":[]}',
    'pessoas.buscar': 'value {"pessoas":[],"grupos":[]}',
    'links.abrir': 'value {"app":null}',
    // A call of the test counts as a press; a browser without a person to ask refuses to read.
    'area.escrever': 'value null',
    'area.ler': 'error recusado',
    'metricas.contar': 'value undefined',
    'metricas.duracao': 'value undefined',
    'metricas.relatarErro': 'value undefined',
    'metricas.disponivel': 'value {"disponivel":false,"motivo":"fora do ambiente","codigo":"FORA_DO_AMBIENTE"}',
  };
  const expected = (name: Public): string =>
    own[name] ??
    (verbs[name].outside === 'rejects' ? `error fora do ambiente ${name}` : verbs[name].outside === 'null' ? 'value null' : '');
  for (const name of called.filter((each) => each !== 'window.close' && each !== 'pessoas.corDe'))
    expect([name, answers[name]]).toEqual([name, expected(name)]);
  expect(answers['pessoas.corDe']).toMatch(/^value "#[0-9a-f]{6}"$/);
  expect(await tab.evaluate(`svc.disco.estado('/x').catch(({ code }) => code)`)).toBe('fora-do-ambiente');
  expect(await tab.evaluate(`svc.apps.pedir('nada/v1', '/x').then(async (r) => [r.status, (await r.json()).capacidade])`)).toEqual([
    404,
    'nada/v1',
  ]);
  // Last, in a tab that a script opened: others a page can't close.
  const [opened] = await Promise.all([tab.waitForEvent('popup'), tab.evaluate((to) => void window.open(to), address)]);
  await opened.waitForFunction('globalThis.svc !== undefined');
  await Promise.all([opened.waitForEvent('close'), opened.evaluate('setTimeout(() => void svc.window.close())')]);
  await tab.close();
});

test('an app that falls twice and then stays: its window gets there by itself', async () => {
  const data = join(portal.state, 'casa/home/ana/.svc-apps/cai/data');
  await mkdir(data, { recursive: true });
  await writeFile(join(data, 'queda.json'), JSON.stringify({ aposMs: 0, quedas: 2 }));
  await openApp(page, 'Cai');
  await frameOf(page, 'Cai').locator('script[src*="_sdk/svc.js"]').waitFor({ state: 'attached' });
  expect(await frameOf(page, 'Cai').locator('body').evaluate('document.title')).not.toContain('não conseguiu');
});
