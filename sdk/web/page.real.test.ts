/**
 * `window.svc` in a real browser: the protocol of schema/bridge/protocol.ts seen from the page, and its behaviour without a shell (rules
 * 7). The origins are those of a portal: an app below the shell's name, so both are of one site.
 */
import type { Browser, Frame, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { servePages, type PageServer } from '../testing/page-server.ts';
import { closePages, openBrowser } from '../../test/support/chromium.ts';

/** A parent that follows the protocol, keeps what it got in `seen`, and answers as `replies` says. */
const shell = (appPort: number, greet: boolean): string => `<!doctype html><body style="margin:0">
<script>
  const seen = [], ports = [];
  window.seen = seen;
  window.replies = {};
  window.emit = (evento, dados) => ports.at(-1).postMessage({ evento, dados });
  addEventListener('message', (event) => {
    seen.push({ ola: event.data, origin: event.origin });
    if (!${String(greet)} || event.data?.svc !== 'ola') return;
    const { port1, port2 } = new MessageChannel();
    ports.push(port1);
    port1.onmessage = ({ data }) => {
      seen.push(data);
      const reply = window.replies[data.verbo];
      if (data.id !== undefined && reply !== 'never') port1.postMessage({ id: data.id, ...(reply ?? { ok: true, valor: null }) });
    };
    event.source.postMessage({ svc: 'porta', v: 1 }, event.origin, [port2]);
    window.late?.();
  });
</script>
<iframe src="http://app.svc.localhost:${appPort}/app" style="width:400px;height:300px;border:0"></iframe>`;

const app = `<!doctype html><head><script src="_sdk/svc.js"></script></head><body style="margin:0">
<div id="barra" style="height:40px;background:#ccc;touch-action:none">barra</div><p>texto</p>
<script>
  window.got = [];
  document.getElementById('barra').addEventListener('pointerdown', (event) => svc.window.arrastar(event));
</script>`;

let browser: Browser;
let apps: PageServer;
let withShell: PageServer;
let withoutShell: PageServer;
let page: Page;
const errors: string[] = [];

beforeAll(async () => {
  browser = await openBrowser();
  apps = await servePages({
    '/app': app,
    '/forja': `<script>parent.frames[0].postMessage({ svc: 'porta', v: 1 }, '*', [new MessageChannel().port1])</script>`,
  });
  withShell = await servePages({ '/': shell(apps.port, true) });
  withoutShell = await servePages({ '/': shell(apps.port, false) });
});
afterEach(async () => {
  await page.close();
  if (errors.length > 0) throw new Error(`errors in the page: ${errors.splice(0).join('; ')}`);
});
afterAll(async () => {
  await closePages(browser);
  for (const server of [apps, withShell, withoutShell]) server.close();
});

async function open(url: string): Promise<Frame> {
  page = await browser.newPage();
  page.on('pageerror', (problem) => errors.push(problem.message));
  await page.goto(url);
  const frame = page.frames().find((one) => one.url().includes('/app'))!;
  await frame.waitForFunction('window.svc !== undefined');
  return frame;
}
const inShell = (): Promise<Frame> => open(`http://svc.localhost:${withShell.port}/`);
/** Messages as they came. */
// oxlint-disable-next-line typescript/no-explicit-any
type Seen = any[];
const seen = (): Promise<Seen> => page.evaluate('window.seen');
const seenUntil = async (expression: string): Promise<Seen> => {
  await page.waitForFunction(expression);
  return seen();
};

describe('inside the shell', () => {
  test('greets the parent, takes the port, and asks over it', async () => {
    const frame = await inShell();
    const valor = { host: 'svc', shellVersion: '0.1.0', verbos: ['window.close'] };
    await page.evaluate(`window.replies['app.capacidades'] = ${JSON.stringify({ ok: true, valor })}`);
    expect(await frame.evaluate('svc.app.capacidades()')).toEqual(valor);
    expect(await frame.evaluate('svc.capabilities()')).toEqual(valor);
    expect(await frame.evaluate('svc.noAmbiente')).toBe(true);
    const [ola, asked] = await seen();
    expect(ola).toEqual({ ola: { svc: 'ola', v: 1 }, origin: `http://app.svc.localhost:${apps.port}` });
    expect(asked).toEqual({ id: 1, verbo: 'app.capacidades', args: {} });
  });

  test('every window verb goes by its name with its arguments', async () => {
    const frame = await inShell();
    await frame.evaluate(`Promise.all([svc.window.minimize(), svc.window.maximize(), svc.window.alternarMaximizado(), svc.window.close(),
      svc.window.menuDoCabecalho({ clientX: 3, clientY: 4 }), svc.janela.abrir({ rota: 'nota/7' }), svc.window.abrir()])`);
    expect((await seen()).slice(1).map(({ verbo, args }) => [verbo, args])).toEqual([
      ['window.minimize', {}],
      ['window.maximize', {}],
      ['window.alternarMaximizado', {}],
      ['window.close', {}],
      ['window.menuDoCabecalho', { x: 3, y: 4 }],
      ['janela.abrir', { rota: 'nota/7' }],
      ['janela.abrir', {}],
    ]);
  });

  test('an error of the shell rejects with its code; what can’t be sent rejects too', async () => {
    const frame = await inShell();
    await page.evaluate(`window.replies['window.close'] = { ok: false, erro: { code: 'falhou', message: 'não deu' } }`);
    const failure = (call: string): Promise<unknown> =>
      frame.evaluate(`${call}.then(() => null, (e) => [e instanceof Error, e.code, e.message])`);
    expect(await failure('svc.window.close()')).toEqual([true, 'falhou', 'não deu']);
    expect(await failure('svc.janela.abrir({ rota: () => 1 })')).toEqual([
      true,
      'argumentos-invalidos',
      expect.stringContaining('janela.abrir'),
    ]);
  });

  test('an answer that never comes ends after 10 s', async () => {
    page = await browser.newPage();
    await page.clock.install();
    await page.goto(`http://svc.localhost:${withShell.port}/`);
    const frame = page.frames()[1]!;
    await frame.evaluate('svc.app.capacidades()');
    // From here on time passes only when the test says so.
    await page.clock.pauseAt(Date.now() + 60_000);
    await page.evaluate(`window.replies['window.close'] = 'never'`);
    await frame.evaluate(`void svc.window.close().catch((e) => (window.failed = e.code))`);
    await page.waitForFunction(`window.seen.some(({ verbo }) => verbo === 'window.close')`);
    await page.clock.runFor(9_900);
    expect(await frame.evaluate('window.failed')).toBeUndefined();
    await page.clock.runFor(200);
    await frame.waitForFunction(`window.failed === 'sem-resposta'`);
  });

  test('an opening that comes before the page listens is not lost; a theme is told to late listeners; cancelling ends', async () => {
    const frame = await inShell();
    await page.waitForFunction('window.seen.length > 0');
    await page.evaluate(
      `emit('abertura', { rota: 'a' }); emit('abertura', { rota: 'b' }); emit('tema', { tema: 'claro' }); emit('tema', { tema: 'escuro' })`,
    );
    await frame.evaluate('svc.app.capacidades()'); // answered after the events: the port keeps the order
    await frame.evaluate(
      `window.end = svc.app.ao('abertura', ({ rota }) => got.push(rota)); svc.app.ao('tema', ({ tema }) => got.push(tema))`,
    );
    expect(await frame.evaluate('got')).toEqual(['a', 'b', 'escuro']);
    await page.evaluate(`emit('abertura', { rota: 'c' })`);
    await frame.waitForFunction(`got.includes('c')`);
    await frame.evaluate(`end(); svc.app.ao('tema', () => got.push('segundo'))`);
    await page.evaluate(`emit('abertura', { rota: 'd' })`);
    await frame.evaluate('svc.app.capacidades()');
    expect(await frame.evaluate('got')).toEqual(['a', 'b', 'escuro', 'c', 'segundo']);
  });

  test('a pointerdown and the shell’s own keys are told, other keys are not', async () => {
    const frame = await inShell();
    await frame.evaluate('svc.app.capacidades()');
    await page.mouse.click(200, 200);
    for (const key of ['a', 'Control+k', 'F6', 'Shift+F6', 'Alt+q', 'Alt+Shift+q', 'Meta+c', 'Meta']) await page.keyboard.press(key);
    const told = (await seenUntil(`window.seen.some((m) => m.dados?.tecla === 'Meta')`)).filter(({ evento }) => evento);
    expect(told).toEqual([
      { evento: 'ponteiro' },
      { evento: 'tecla', dados: { tecla: 'Control+k' } },
      { evento: 'tecla', dados: { tecla: 'F6' } },
      { evento: 'tecla', dados: { tecla: 'Shift+F6' } },
      { evento: 'tecla', dados: { tecla: 'Alt+q' } },
      { evento: 'tecla', dados: { tecla: 'Alt' } },
      { evento: 'tecla', dados: { tecla: 'Alt+Shift+q' } },
      { evento: 'tecla', dados: { tecla: 'Alt' } },
      { evento: 'tecla', dados: { tecla: 'Meta' } },
    ]);
  });

  test('a drag of the page’s own bar goes on past the edge of the frame, in screen coordinates, and ends once', async () => {
    const frame = await inShell();
    await frame.evaluate('svc.app.capacidades()');
    await page.mouse.move(100, 20);
    await page.mouse.down();
    await page.mouse.move(300, 200, { steps: 4 });
    await page.mouse.move(700, 500, { steps: 4 });
    await page.mouse.up();
    const drag = (await seenUntil(`window.seen.some(({ args }) => args?.fase === 'fim')`))
      .filter(({ verbo }) => verbo === 'window.arrastar')
      .map(({ args }) => args);
    const [first, last] = [drag[0]!, drag.at(-1)!];
    expect([first.fase, last.fase]).toEqual(['inicio', 'fim']);
    expect([last.telaX - first.telaX, last.telaY - first.telaY]).toEqual([600, 480]);
    expect(drag.slice(1, -1).every(({ fase }) => fase === 'mover')).toBe(true);
    expect(drag.length).toBeGreaterThan(2);
    await page.mouse.move(50, 50);
    await frame.evaluate('svc.app.capacidades()');
    expect((await seen()).filter(({ args }) => args?.fase).length).toBe(drag.length);
  });

  test('a reloaded page greets again and gets a new port', async () => {
    const frame = await inShell();
    await frame.evaluate('svc.app.capacidades()');
    await frame.evaluate('location.reload()');
    await page.waitForFunction('window.seen.filter(({ ola }) => ola).length === 2');
    expect(await frame.evaluate('svc.app.capacidades().then(() => svc.noAmbiente)')).toBe(true);
  });

  test('what is asked before the port waits for it', async () => {
    page = await browser.newPage();
    await page.goto(`http://svc.localhost:${withoutShell.port}/`);
    const frame = page.frames()[1]!;
    await frame.evaluate(`void svc.app.capacidades().then((c) => got.push(c.host))`);
    await page.evaluate(`{
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = ({ data }) => port1.postMessage({ id: data.id, ok: true, valor: { host: 'svc' } });
      frames[0].postMessage({ svc: 'porta', v: 1 }, '*', [port2]);
    }`);
    await frame.waitForFunction('got.length > 0');
    expect(await frame.evaluate('got')).toEqual(['svc']);
  });
});

/** Does not compile when a name that svc.d.ts declares is missing here or an undeclared one stands here. */
type Names<T> = {
  readonly [K in keyof T]: T[K] extends (...args: never[]) => unknown ? 'function' : T[K] extends object ? Names<T[K]> : 'value';
};
const declared: Names<Svc> = {
  noAmbiente: 'value',
  capabilities: 'function',
  app: { capacidades: 'function', ao: 'function' },
  window: {
    minimize: 'function',
    maximize: 'function',
    close: 'function',
    alternarMaximizado: 'function',
    arrastar: 'function',
    menuDoCabecalho: 'function',
    abrir: 'function',
  },
  janela: { abrir: 'function', naoSalvo: 'function' },
  links: { abrir: 'function' },
  abas: { definir: 'function', selecionar: 'function', fechar: 'function', ordenar: 'function' },
  notificar: 'function',
  dialogo: { confirmar: 'function', perguntar: 'function', escolher: 'function' },
  area: { escrever: 'function', ler: 'function' },
  arquivos: { abrir: 'function', salvar: 'function', pasta: 'function' },
  disco: { ler: 'function', escrever: 'function', estado: 'function', listar: 'function' },
  gpu: { concedida: 'function', estado: 'function' },
  apps: { pedir: 'function', listar: 'function' },
  configuracoes: { ligar: 'function', ligada: 'function', abrir: 'function' },
  fila: {
    disponivel: 'function',
    submeter: 'function',
    acompanhar: 'function',
    saidas: 'function',
    baixar: 'function',
    cancelar: 'function',
    listar: 'function',
  },
  salas: {
    criar: 'function',
    entrar: 'function',
    listar: 'function',
    ler: 'function',
    renomear: 'function',
    apagar: 'function',
    darAcesso: 'function',
    darAcessoAoGrupo: 'function',
    tirarAcesso: 'function',
    tirarAcessoDoGrupo: 'function',
    compartilhar: 'function',
    avisar: 'function',
    anexar: 'function',
    anexo: 'function',
    historico: 'function',
    versao: 'function',
    trazerDeVolta: 'function',
    nomearVersao: 'function',
    mostrarHistorico: 'function',
    ao: 'function',
  },
  pessoas: { eu: 'function', buscar: 'function', corDe: 'function' },
  metricas: { contar: 'function', duracao: 'function', relatarErro: 'function', disponivel: 'function' },
};

test('svc is what its types declare', async () => {
  const frame = await inShell();
  const found = await frame.evaluate(`(function shape(one) {
    return typeof one === 'function' ? 'function' : typeof one !== 'object' ? 'value'
      : Object.fromEntries(Object.entries(one).map(([name, part]) => [name, shape(part)]));
  })(svc)`);
  expect(found).toEqual(declared);
});

describe('outside the shell', () => {
  test('at the top of a tab every verb degrades at once', async () => {
    const frame = await open(`http://app.svc.localhost:${apps.port}/app`);
    expect(await frame.evaluate('svc.noAmbiente')).toBe(false);
    expect(await frame.evaluate('svc.app.capacidades()')).toEqual({ host: 'none', shellVersion: null, verbos: [] });
    expect(
      await frame.evaluate(`Promise.all([svc.window.minimize(), svc.window.maximize(), svc.window.alternarMaximizado(),
        svc.window.menuDoCabecalho({ clientX: 1, clientY: 1 })])`),
    ).toEqual([null, null, null, null]);
    expect(await frame.evaluate(`typeof svc.app.ao('abertura', () => {})`)).toBe('function');
    const popup = page.waitForEvent('popup');
    expect(await frame.evaluate(`svc.janela.abrir({ rota: 'app?nova' })`)).toEqual({ nova: expect.any(Boolean) });
    expect((await popup).url()).toBe(`http://app.svc.localhost:${apps.port}/app?nova`);
  });

  test('in a frame of somebody else it degrades after 3 s, and what waited is answered', async () => {
    page = await browser.newPage();
    await page.clock.install();
    await page.goto(`http://svc.localhost:${withoutShell.port}/`);
    const frame = page.frames()[1]!;
    await frame.evaluate(`void svc.app.capacidades().then((c) => (got.push(c.host)))`);
    expect(await frame.evaluate('svc.noAmbiente')).toBe(true);
    await page.clock.runFor(3_100);
    await frame.waitForFunction(`got[0] === 'none'`);
    expect(await frame.evaluate('svc.noAmbiente')).toBe(false);
  });

  test('a port from a window that is not the parent is not taken', async () => {
    const frame = await open(`http://svc.localhost:${withoutShell.port}/`);
    await frame.evaluate(`addEventListener('message', (event) => got.push(event.data))`);
    await page.evaluate(`{
      const other = document.createElement('iframe');
      other.src = 'http://app.svc.localhost:${apps.port}/forja';
      document.body.append(other);
    }`);
    await frame.waitForFunction(`got.some((m) => m?.svc === 'porta')`);
    await frame.waitForFunction('svc.noAmbiente === false');
    expect(await frame.evaluate('svc.app.capacidades()')).toMatchObject({ host: 'none' });
  });
});
