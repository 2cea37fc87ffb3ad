/**
 * `svc.capabilities()` is the set of verbs that answer: each is called, in a window of the desktop and in a tab without it. And what the desktop
 * draws for them: questions over the window that asks.
 */
import { join } from 'node:path';
import type { FrameLocator, Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { events, publicNames, verbNames, verbs, type VerbName } from '../../schema/bridge/verbs.ts';
import { axeFindings, axeInBothThemes, dialogOf, frameOf, openApp, useDesk, windowOf } from './support/browser.ts';

let page: Page;
let notas: FrameLocator;

useDesk(
  (made) => {
    page = made.page;
    notas = frameOf(page, 'Notas');
  },
  ['notas', 'relogio'],
  'whole',
);

type Public = Exclude<VerbName, 'salas.bilhete' | 'salas.lugar' | 'metricas.enviar' | 'fila.noticia'>;
const trabalho = `'j${'0'.repeat(20)}'`;
const sala = `'s${'0'.repeat(21)}'`;
/** Arguments that are right, as the page writes them. */
const given: { readonly [V in Public]: string } = {
  capabilities: '',
  'app.capacidades': '',
  'app.ao': `'abertura', () => {}`,
  'window.minimize': '',
  'window.maximize': '',
  'window.close': '',
  'window.alternarMaximizado': '',
  'window.arrastar': `new PointerEvent('pointerdown')`,
  'window.menuDoCabecalho': '{ clientX: 9, clientY: 9 }',
  'window.abrir': `{ rota: '#a' }`,
  'janela.abrir': `{ rota: '#a' }`,
  'janela.naoSalvo': `false`,
  'links.abrir': `'https://nada.invalid/'`,
  'abas.definir': `[{ id: 'a', titulo: 'A' }]`,
  'abas.selecionar': `'a'`,
  'abas.fechar': `'a'`,
  'abas.ordenar': `['a']`,
  'dialogo.confirmar': `'Apagar?', { sim: 'Apagar', perigo: true }`,
  'dialogo.perguntar': `'Nome?', { valor: 'Ana' }`,
  'dialogo.escolher': `'Qual?', ['um', 'dois']`,
  notificar: `'Pronto'`,
  'area.escrever': `'copiado'`,
  'area.ler': '',
  'arquivos.abrir': `{ extensoes: ['svg'], varios: true }`,
  'arquivos.salvar': `{ nome: 'a.svg' }`,
  'arquivos.pasta': '',
  'disco.ler': `'/a', { desde: 0, ate: 9 }`,
  'disco.escrever': `'/a', 'texto', { novo: true }`,
  'disco.estado': `'/a'`,
  'disco.listar': `'/', { limite: 9 }`,
  'apps.pedir': `'nada/v1', '/a'`,
  'apps.listar': `'nada/v1'`,
  'configuracoes.ligar': 'true',
  'configuracoes.ligada': '',
  'configuracoes.abrir': '',
  'gpu.concedida': '',
  'gpu.estado': '',
  'fila.disponivel': '',
  'fila.submeter': `{ comando: ['true'] }`,
  'fila.acompanhar': trabalho,
  'fila.saidas': trabalho,
  'fila.baixar': trabalho,
  'fila.cancelar': trabalho,
  'fila.listar': '',
  'salas.criar': `'Ata'`,
  'salas.entrar': `${sala}, { Y: { applyUpdate() {} }, doc: { on() {}, off() {} } }`,
  'salas.listar': '',
  'salas.ler': sala,
  'salas.renomear': `${sala}, 'Ata'`,
  'salas.apagar': sala,
  'salas.darAcesso': `${sala}, 'bia', 'ver'`,
  'salas.darAcessoAoGrupo': `${sala}, 'todos', 'ver'`,
  'salas.tirarAcesso': `${sala}, 'bia'`,
  'salas.tirarAcessoDoGrupo': `${sala}, 'todos'`,
  'salas.avisar': `${sala}, 'mencao', ['bia'], 'c1'`,
  'salas.compartilhar': sala,
  'salas.anexar': `${sala}, new Blob(['x'])`,
  'salas.anexo': `${sala}, '${'a'.repeat(64)}'`,
  'salas.ao': `'mudaram', () => {}`,
  'pessoas.eu': '',
  'pessoas.buscar': `'a'`,
  'pessoas.corDe': `'ana'`,
  'metricas.contar': `'aberta', 1, { tipo: 'nota' }`,
  'metricas.duracao': `'abrir', 0.2`,
  'metricas.relatarErro': `new Error('x')`,
  'metricas.disponivel': '',
};
const picks = (name: Public): boolean => name.startsWith('arquivos.');
const asksPerson = (name: Public): boolean => name.startsWith('dialogo.') || name === 'area.ler' || picks(name);
const called = Object.keys(given) as readonly Public[];
/** Result of a call as text: `value …`, `function`, or `error code`. */
const calling = (name: Public): string => `(async () => {
  try {
    let answer = await svc.${name}(${given[name]});
    if (typeof answer?.next === 'function') answer = await answer.next();
    if (typeof answer?.sair === 'function') return await answer.sair(), 'connection';
    return typeof answer === 'function' ? 'function' : 'value ' + JSON.stringify(answer);
  } catch (error) {
    return 'error ' + (error.code === 'fora-do-ambiente' ? error.message : (error.code ?? String(error)));
  }
})()`;
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
      const said = [];
      for (let n = 0; n < 14; n++) said.push(await svc.notificar('de novo').then(() => 'kept', ({ code, retryAfterMs }) => code + ' ' + (retryAfterMs > 0)));
      return said;
    })()`);
    expect(answers.at(-1)).toBe('RATE_LIMITED true');
    expect(answers.filter((answer) => answer === 'kept').length).toBeLessThanOrEqual(11);
  });

  test('the questions fit 320 px, in both themes, and pass axe', { timeout: 120_000 }, async () => {
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
    // Requests of a page before it has a port go with it.
    await notas.locator('body').evaluate('svc.app.capacidades()');
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
