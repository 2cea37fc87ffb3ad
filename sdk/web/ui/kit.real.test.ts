/**
 * The UI kit in a real browser, one page for all: looks and axe of the example that shows every element in every state, the keys of each, forms,
 * language and theme, and docs/ui.md held against what is there.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { closePages, openBrowser } from '../../../test/support/chromium.ts';
import { servePages, type PageServer } from '../../testing/page-server.ts';
import { keyTable } from './testing/key-table.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const read = (name: string): string => readFileSync(path.join(root, name), 'utf8');
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const tags = '<link rel="stylesheet" href="/_sdk/ui/svc-ui.css"><script src="/_sdk/ui/svc-ui.js" defer></script>';
const showcase = read('examples/apps/vitrine/frontend/index.html')
  .replace('<head>', `<head>${tags}<style>${read('examples/apps/vitrine/frontend/vitrine.css')}</style>`)
  .replace('</body>', `<script type="module">${read('examples/apps/vitrine/frontend/vitrine.js')}</script></body>`)
  .replace(/<link rel="stylesheet" href="vitrine.css"[^>]*>/, '');
const reference = read('docs/ui.md');
const snippets = [...reference.matchAll(/^```html\n([\s\S]*?)^```/gm)].map(([, html]) => html!);
const elements = readdirSync(import.meta.dirname)
  .filter((name) => /^[\w-]+\.ts$/.test(name))
  .flatMap((name) => [...read(`sdk/web/ui/${name}`).matchAll(/^define\('([\w-]+)'/gm)].map(([, tag]) => tag!));

let browser: Browser;
let server: PageServer;
let page: Page;
const problems: string[] = [];

beforeAll(async () => {
  const shown = snippets.map((html) => `<section>${html}</section>`).join('\n');
  server = await servePages({
    '/vitrine': showcase,
    '/docs': `<!doctype html><html lang="pt-BR"><head><title>docs</title>${tags}</head><body class="svc-corpo"><main><h1>docs</h1>${shown}</main></body></html>`,
    // Under the policy of the desktop: nothing of the kit is a style or a script in markup.
    '/vazia': `<!doctype html><html lang="pt-BR"><head><meta http-equiv="Content-Security-Policy" content="default-src 'self'"><title>vazia</title>${tags}</head><body class="svc-corpo"><main id="aqui"></main></body></html>`,
  });
  browser = await openBrowser();
  page = await browser.newPage({ locale: 'en', reducedMotion: 'reduce' });
  page.on('pageerror', (problem) => problems.push(problem.message));
  page.on(
    'console',
    (message) => message.type() === 'error' && !message.location().url.endsWith('favicon.ico') && problems.push(message.text()),
  );
});
afterEach(() => {
  if (problems.length > 0) throw new Error(`errors in the page: ${problems.splice(0).join('; ')}`);
});
afterAll(async () => {
  await closePages(browser);
  server.close();
});

const open = async (name: string): Promise<void> => {
  await page.goto(`http://127.0.0.1:${server.port}${name}`);
};

/** Findings of every weight, as lines. */
async function findings(): Promise<readonly string[]> {
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(axe);
  const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
    `axe.run(document, { resultTypes: ['violations'] })`,
  );
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' · ')}`);
}

/** Puts HTML into the empty page, once its elements are drawn. */
async function put(html: string): Promise<void> {
  await page.evaluate(async (html) => {
    document.documentElement.lang = 'pt-BR';
    const here = document.querySelector('#aqui')!;
    here.innerHTML = html;
    (window as { told?: string[] }).told = [];
    const all = [...here.querySelectorAll('*')].filter((each) => each.localName.startsWith('ui-'));
    for (const each of all) await (each as unknown as { updateComplete: Promise<unknown> }).updateComplete;
  }, html);
}

/** The focused element, inside of every shadow tree: the words of its element, or its id. */
const focused = (): Promise<string> =>
  page.evaluate(() => {
    const active = document.activeElement;
    return active === null || active === document.body ? '' : active.id || (active.firstChild?.textContent ?? '').trim();
  });

describe('looks', () => {
  beforeAll(() => open('/vitrine'));

  test.for([
    ['light', {}],
    ['dark', { colorScheme: 'dark' }],
    ['more contrast', { contrast: 'more' }],
    ['more contrast, dark', { contrast: 'more', colorScheme: 'dark' }],
    ['forced colours', { forcedColors: 'active' }],
  ] as const)('%s: nothing for axe to say and no page wider than the window, at 1280 and 320 px', async ([, media]) => {
    await page.emulateMedia({ colorScheme: 'light', contrast: 'no-preference', forcedColors: 'none', ...media });
    for (const width of [1_280, 320]) {
      await page.setViewportSize({ width, height: 800 });
      expect({ width, found: await findings() }).toEqual({ width, found: [] });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    }
  });

  test('nor with a menu, a notice and a dialog open', async () => {
    await page.emulateMedia({ colorScheme: 'light', contrast: 'no-preference', forcedColors: 'none' });
    await page.getByRole('button', { name: 'Aviso de erro' }).click();
    await page.getByRole('button', { name: 'Ações' }).click();
    await page.getByRole('menuitem', { name: 'Ordenar por' }).click();
    await page.getByRole('menuitemradio', { name: 'Data' }).waitFor();
    expect(await findings()).toEqual([]);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    for (const name of ['Abrir diálogo', 'Apagar…', 'Abrir painel']) {
      await page.getByRole('button', { name }).click();
      expect({ name, found: await findings() }).toEqual({ name, found: [] });
      await page.keyboard.press('Escape');
    }
  });

  test('everything it says is in the other language after one press, and back', async () => {
    await page.getByRole('button', { name: 'Dispensar' }).click();
    const words = (): Promise<string> => page.locator('body').ariaSnapshot();
    const before = await words();
    await page.getByRole('button', { name: 'English' }).click();
    await expect.poll(() => page.title()).toBe('Showcase');
    const between = await words();
    const left = /[ãõçáéíóúâêô]|Fechar|Escolha|Dona|Avisos/i;
    expect(between.split('\n').filter((line) => left.test(line) && !/Belém|Português/.test(line))).toEqual([]);
    await page.getByRole('button', { name: 'Português' }).click();
    await expect.poll(words).toBe(before);
  });
});

describe('keys', () => {
  beforeAll(() => open('/vazia'));
  beforeEach(() => page.setViewportSize({ width: 1_280, height: 800 }));

  test.for(keyTable)('%s', async ([, html, keys, expression, wanted]) => {
    await put(html);
    await page.evaluate(() => {
      (document.activeElement as HTMLElement | null)?.blur();
      getSelection()?.removeAllRanges();
      const { told } = window as unknown as { told: string[] };
      const here = document.querySelector('#aqui')!;
      here.replaceWith(here.cloneNode(false));
      const anew = document.querySelector('#aqui')!;
      anew.append(...here.childNodes);
      const tell = (event: Event): void => {
        const { id } = event.target as HTMLElement;
        const { detail } = event as CustomEvent<{ value?: string; values?: string[]; id?: string } | null>;
        if (event.type === 'submit') {
          event.preventDefault();
          told.push(`submit ${new URLSearchParams([...new FormData(event.target as HTMLFormElement)] as [string, string][]).toString()}`);
        } else if (event.type === 'choose') told.push(`choose ${(event.target as HTMLElement).closest('#m')?.id} ${detail?.value}`);
        else if (event.type === 'move') told.push(`move ${id} ${detail?.values?.join()}`);
        else if (event.type === 'close') told.push(`close ${id} ${detail?.value ?? ''}`.trim());
        else if (event.type === 'open') told.push(`open ${id} ${detail?.id}`);
        else told.push(`${event.type} ${id || (event.target as HTMLElement).closest('[id]')?.id}`);
      };
      for (const type of ['click', 'change', 'submit', 'choose', 'expand', 'open', 'move']) anew.addEventListener(type, tell);
      anew.querySelector('ui-dialog, ui-tabs')?.addEventListener('close', tell);
    });
    for (const key of keys) await page.keyboard.press(key);
    await expect.poll(() => page.evaluate(expression)).toEqual(wanted);
  });

  test('a tree that came by innerHTML is one stop; closed over its stop, the closed item is it', async () => {
    const flat =
      '<ui-tree-item value="a">a</ui-tree-item><ui-tree-item value="b" expanded>b<ui-tree-item value="c">c</ui-tree-item></ui-tree-item>';
    await put(`<button type="button" id="antes">antes</button><ui-tree id="t" label="t">${flat}</ui-tree>`);
    const value = (): Promise<string> => page.evaluate('document.activeElement.value');
    await page.locator('#antes').focus();
    await page.keyboard.press('Tab');
    await expect.poll(value).toBe('a');
    // By a script: an item that holds the stop is focused like any other.
    await page.evaluate(`t.querySelector('[value=c]').focus(); t.querySelector('[value=b]').focus()`);
    await expect.poll(value).toBe('b');
    await page.evaluate(`t.querySelector('[value=c]').focus(); antes.focus(); t.querySelector('[value=b]').expanded = false`);
    await expect.poll(() => page.evaluate(`t.querySelector('[value=b]').tabIndex`)).toBe(0);
    await page.keyboard.press('Tab');
    await expect.poll(value).toBe('b');
  });

  test('a dialog with light-dismiss is closed by a press beside it, and not by one that began in it', async () => {
    await put('<ui-button id="b" opens="d">b</ui-button><ui-dialog id="d" label="d" light-dismiss><p id="p">texto</p></ui-dialog>');
    await page.evaluate(`d.addEventListener('cancel', ({ detail }) => told.push(detail.by))`);
    await page.locator('#b').click();
    await page.locator('#p').hover();
    await page.mouse.down();
    await page.mouse.move(5, 5);
    await page.mouse.up();
    expect(await page.evaluate('[d.open, ...told]')).toEqual([true]);
    await page.mouse.click(5, 5);
    await expect.poll(() => page.evaluate('[d.open, document.activeElement.id, ...told]')).toEqual([false, 'b', 'press']);
  });

  test('text of a dialog that is longer than the window is scrolled by the keyboard', async () => {
    await put('<ui-button id="b" opens="d">b</ui-button><ui-dialog id="d" label="d"><p>texto</p></ui-dialog>');
    const body = page.locator('#d [part=body]');
    await page.locator('#b').click();
    await expect.poll(() => body.getAttribute('tabindex')).toBe(null);
    await page.evaluate(`d.querySelector('p').style.height = '200vh'`);
    await expect.poll(() => body.getAttribute('tabindex')).toBe('0');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('End');
    await expect.poll(() => body.evaluate((element) => element.scrollTop)).toBeGreaterThan(100);
  });

  test('a dialog that comes open and is taken away has the focus meanwhile; who closes it may give it elsewhere', async () => {
    await put('<button type="button" id="antes">antes</button><button type="button" id="outro">outro</button>');
    await page.locator('#antes').focus();
    await page.evaluate(
      `aqui.insertAdjacentHTML('beforeend', '<ui-dialog id="d" label="d" open><ui-field id="f" label="f"></ui-field></ui-dialog>')`,
    );
    await expect.poll(focused).toBe('f');
    await page.evaluate('window.d = document.querySelector("#d"); d.remove()');
    await expect.poll(focused).toBe('antes');
    await page.evaluate('aqui.append(d); d.show()');
    await expect.poll(focused).toBe('f');
    await page.evaluate('d.close(); outro.focus(); new Promise((done) => setTimeout(done, 50))');
    expect(await focused()).toBe('outro');
    await page.evaluate(
      `aqui.insertAdjacentHTML('beforeend', '<ui-dialog label="e" open><ui-radio-group id="r" label="r"><option>a</option></ui-radio-group></ui-dialog>')`,
    );
    await expect.poll(focused).toBe('r');
  });

  test('what is drawn by numbers and colours is drawn under a policy that takes no styles of markup', async () => {
    await put('<ui-progress id="p" value="25"></ui-progress><ui-person usuario="ana" name="Ana"></ui-person>');
    const part = `p.shadowRoot.querySelector('.bar div').getBoundingClientRect().width / p.shadowRoot.querySelector('.bar').clientWidth`;
    expect(await page.evaluate(part)).toBeCloseTo(0.25, 2);
    const ring = `getComputedStyle(document.querySelector('ui-person').shadowRoot.querySelector('.mark')).borderTopColor`;
    expect(await page.evaluate(ring)).toBe('rgb(195, 57, 161)');
  });

  test('tabs that do not fit are listed, what is chosen is in view, a drag moves one and a cross closes one', async () => {
    await page.setViewportSize({ width: 320, height: 640 });
    const all = Array.from({ length: 9 }, (_, n) => `<ui-tab panel="p${n}" closable>Aba ${n}</ui-tab>`).join('');
    await put(`<ui-tabs id="t" label="t" movable>${all}</ui-tabs>`);
    await page.evaluate(`t.addEventListener('close', ({ detail }) => t.querySelector('[panel=' + detail.value + ']').remove())`);
    await page.getByRole('button', { name: 'Todas as abas' }).click();
    await page.getByRole('menuitemradio', { name: 'Aba 7' }).click();
    const chosen = page.getByRole('tab', { name: 'Aba 7', selected: true });
    const [bar, own] = [(await page.getByRole('tablist').boundingBox())!, (await chosen.boundingBox())!];
    expect([own.x >= bar.x - 1, own.x + own.width <= bar.x + bar.width + 1]).toEqual([true, true]);
    await page.setViewportSize({ width: 1_280, height: 800 });
    await page.getByRole('button', { name: 'Todas as abas' }).waitFor({ state: 'detached' });
    const box = (await page.getByRole('tab', { name: 'Aba 3' }).boundingBox())!;
    await page.mouse.move(box.x + 10, box.y + 10);
    await page.mouse.down();
    await page.mouse.move(bar.x + 2, box.y + 10, { steps: 4 });
    await page.mouse.up();
    const order = (): Promise<string> => page.evaluate(`[...t.children].map((each) => each.panel).join()`);
    await expect.poll(order).toBe('p3,p0,p1,p2,p4,p5,p6,p7,p8');
    // A drag chooses nothing.
    expect(await chosen.count()).toBe(1);
    await page.getByRole('tab', { name: 'Aba 3' }).locator('.cross').click();
    await expect.poll(order).toBe('p0,p1,p2,p4,p5,p6,p7,p8');
    // Taken away under the pointer, it does not come back.
    await page.mouse.move(bar.x + 10, box.y + 10);
    await page.mouse.down();
    await page.mouse.move(box.x, box.y + 10, { steps: 4 });
    await page.evaluate(`t.querySelector('[panel=p0]').remove()`);
    await page.mouse.up();
    await expect.poll(order).toBe('p1,p2,p4,p5,p6,p7,p8');
    await page.waitForFunction(`[...t.children].every((each) => each.style.order === '')`);
  });

  test('the heads of a table with a height of its own stay in sight, and the keyboard reaches what scrolls', async () => {
    const rows = Array.from({ length: 40 }, (_, n) => `<tr><td>linha ${n}</td></tr>`).join('');
    await put(`<ui-table id="t" label="linhas"><table><thead><tr><th>Nome</th></tr></thead><tbody>${rows}</tbody></table></ui-table>`);
    await page.evaluate(`(() => { const sheet = new CSSStyleSheet();
      sheet.replaceSync('#t { display: grid; height: 120px } #t::part(scroll) { overflow: auto }'); document.adoptedStyleSheets.push(sheet); })()`);
    await page.getByRole('region', { name: 'linhas' }).focus();
    await page.keyboard.press('End');
    const fromTop = `document.querySelector('th').getBoundingClientRect().top - t.getBoundingClientRect().top`;
    await expect.poll(() => page.evaluate(`t.shadowRoot.querySelector('.scroll').scrollTop > 500 && ${fromTop}`)).toBeCloseTo(0, 0);
    await page.evaluate(`(document.adoptedStyleSheets.pop(), 0)`);
  });

  test('a notice is said, stays under the keyboard, and Escape puts it away without taking the focus before', async () => {
    await put('<button type="button" id="antes">antes</button><ui-toast></ui-toast>');
    await page.locator('#antes').focus();
    await page.evaluate(`document.querySelector('ui-toast').show('Salvo.', { action: 'Desfazer', durationMs: 1 << 20 })`);
    await expect.poll(() => page.getByRole('log', { name: 'Avisos' }).innerText()).toContain('Salvo.');
    expect(await focused()).toBe('antes');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByText('Salvo.').count()).toBe(0);
  });

  test('at most four notices are there, and one that waits goes when what it waits for ended', async () => {
    await put('<ui-toast></ui-toast>');
    await page.evaluate(`(() => { const all = document.querySelector('ui-toast'); for (const n of [1, 2, 3, 4, 5]) all.show('n' + n);
      const end = all.show('espera', { kind: 'busy' }); window.end = end; })()`);
    const shown = (): Promise<string[]> => page.locator('ui-toast p').allInnerTexts();
    await expect.poll(shown).toEqual(['n3', 'n4', 'n5', 'espera']);
    await page.evaluate('end()');
    await expect.poll(shown).toEqual(['n3', 'n4', 'n5']);
  });
});

describe('forms', () => {
  beforeAll(() => open('/vazia'));

  const all = `<form id="f"><fieldset id="g"><ui-field name="nome" label="Nome" value="Ana"></ui-field><ui-field name="n" type="number" min="1" max="5" label="N" value="2"></ui-field>
    <ui-select name="cidade" label="Cidade"><option value="a">A</option><option value="b" selected>B</option></ui-select>
    <ui-radio-group name="entrega" label="E" value="casa"><option value="casa">Casa</option><option value="loja">Loja</option></ui-radio-group>
    <ui-checkbox name="termos" value="sim">T</ui-checkbox><ui-switch name="avisos" checked>A</ui-switch></fieldset>
    <ui-button type="submit" name="feito" value="1" id="s">Enviar</ui-button><ui-button type="reset" id="r">Recomeçar</ui-button></form>`;
  const data = (): Promise<unknown> => page.evaluate('Object.fromEntries(new FormData(f))');
  const first = { nome: 'Ana', n: '2', cidade: 'b', entrega: 'casa', avisos: 'on' };

  test('take part in FormData, at once when a script changes them, and go back by reset', async () => {
    await put(all);
    expect(await data()).toEqual(first);
    const sent =
      await page.evaluate(`(() => { const at = (name) => f.querySelector('[name=' + name + ']'); at('nome').value = 'Bia'; at('cidade').value = 'a';
      at('entrega').value = 'loja'; at('termos').checked = true; at('avisos').checked = false; return Object.fromEntries(new FormData(f)) })()`);
    expect(sent).toEqual({ nome: 'Bia', n: '2', cidade: 'a', entrega: 'loja', termos: 'sim' });
    await page.getByRole('button', { name: 'Recomeçar' }).click();
    await expect.poll(data).toEqual(first);
    await expect.poll(() => page.getByLabel('Nome').inputValue()).toBe('Ana');
  });

  test('the button that sent the form sends its value, and after that none', async () => {
    await put(all);
    await page.evaluate(
      `f.addEventListener('submit', (event) => { event.preventDefault(); window.sent = Object.fromEntries(new FormData(f)) })`,
    );
    await page.getByRole('button', { name: 'Enviar' }).click();
    await expect.poll(() => page.evaluate('window.sent')).toEqual({ ...first, feito: '1' });
    expect(await data()).toEqual(first);
  });

  test('a disabled fieldset takes them out, and back', async () => {
    await put(all);
    await page.evaluate('g.disabled = true');
    expect(await data()).toEqual({});
    await expect.poll(() => page.getByLabel('Nome').isDisabled()).toBe(true);
    await page.evaluate('g.disabled = false');
    expect(await data()).toEqual(first);
  });

  test.for([
    ['<ui-field id="x" label="x" required></ui-field>', '', 'Preencha este campo.', 'Fill in this field.'],
    [
      '<ui-field id="x" label="x" type="email"></ui-field>',
      'ana',
      'Escreva um endereço de e-mail, como ana@exemplo.com.',
      'Enter an e-mail address, like ana@example.com.',
    ],
    ['<ui-field id="x" label="x" type="number" max="5"></ui-field>', '9', 'O maior valor é 5.', 'The largest value is 5.'],
    ['<ui-field id="x" label="x" pattern="[a-z]+"></ui-field>', '9', 'Não está no formato pedido.', 'This is not in the requested format.'],
    ['<ui-select id="x" label="x" required placeholder=""><option>a</option></ui-select>', null, 'Escolha uma opção.', 'Choose an option.'],
    ['<ui-radio-group id="x" label="x" required><option>a</option></ui-radio-group>', null, 'Escolha uma opção.', 'Choose an option.'],
    ['<ui-checkbox id="x" required>x</ui-checkbox>', null, 'Marque esta caixa para continuar.', 'Tick this box to go on.'],
  ] as const)('%s is refused in words of the page, where it is, and the focus is there', async ([html, typed, pt, en]) => {
    await put(`<form id="f"><ui-field label="antes"></ui-field>${html}<ui-field label="depois" required></ui-field></form>`);
    if (typed !== null) await page.evaluate(`x.value = ${JSON.stringify(typed)}`);
    expect(await page.evaluate('f.reportValidity()')).toBe(false);
    const said = (): Promise<string> => page.locator('#x [part=error]').innerText();
    await expect.poll(said).toBe(pt);
    expect(await focused()).toBe('x');
    await page.evaluate(`document.documentElement.lang = 'en'`);
    await expect.poll(said).toBe(en);
    await page.evaluate(`'checked' in x ? (x.checked = true) : (x.value = x.type === 'email' ? 'a@b.c' : x.type === 'number' ? '5' : 'a')`);
    expect(await page.evaluate('x.validity.valid')).toBe(true);
    await expect.poll(said).toBe('');
  });

  test('what the app finds wrong is refused until the app says so no more', async () => {
    await put('<form id="f"><ui-field id="x" label="x" value="a" error="Este nome já existe."></ui-field></form>');
    expect(await page.evaluate('f.checkValidity()')).toBe(false);
    await page.evaluate(`(x.error = '', x.setCustomValidity('não'), 0)`);
    await expect.poll(() => page.evaluate('[x.validationMessage, f.checkValidity()]')).toEqual(['não', false]);
    await page.evaluate(`x.setCustomValidity('')`);
    await expect.poll(() => page.evaluate('f.checkValidity()')).toBe(true);
  });

  test('a label of the page names them and a press on it leads there', async () => {
    await put(
      '<label for="x" id="l">Nome da sala</label><ui-field id="x"></ui-field><label><span id="k">Cor</span> <ui-select id="y"><option>a</option></ui-select></label>',
    );
    await page.getByRole('textbox', { name: 'Nome da sala' }).waitFor();
    await page.getByRole('combobox', { name: /Cor/ }).waitFor();
    await page.locator('#l').click();
    expect(await focused()).toBe('x');
  });

  test('what the person had written is there again after going away and coming back', async () => {
    await page.evaluate(`history.replaceState(null, '', '/vitrine')`);
    await page.reload();
    await page.getByLabel('Só para ler').waitFor();
    await page.getByRole('textbox', { name: 'Observações' }).fill('lembrado');
    await page.getByLabel('Senha', { exact: true }).fill('segredo123');
    await page.getByRole('checkbox', { name: 'Em parte' }).check();
    await open('/docs');
    await page.goBack();
    await expect.poll(() => page.getByRole('textbox', { name: 'Observações' }).inputValue()).toBe('lembrado');
    expect(await page.getByRole('checkbox', { name: 'Em parte' }).isChecked()).toBe(true);
    expect(await page.getByLabel('Senha', { exact: true }).inputValue()).toBe('');
    await open('/vazia');
  });
});

describe('docs/ui.md', () => {
  beforeAll(() => open('/docs'));

  test('has every element with all its attributes, and no other', async () => {
    const chapters = new Map(reference.split(/^## /m).map((text) => [/^`(ui-[\w-]+)`/.exec(text)?.[1] ?? '', text]));
    chapters.delete('');
    expect([...chapters.keys()].toSorted()).toEqual(elements.toSorted());
    const known = await page.evaluate<Record<string, string[]>>(
      `Object.fromEntries(${JSON.stringify(elements)}.map((tag) => [tag, customElements.get(tag).observedAttributes]))`,
    );
    for (const tag of elements)
      for (const name of known[tag]!) expect(chapters.get(tag), `${tag}: ${name}`).toMatch(new RegExp(`\`${name}(?:="[^"]*")?\``));
  });

  test('every snippet is drawn, with nothing for axe to say', async () => {
    expect(snippets.length).toBeGreaterThanOrEqual(elements.length - 5);
    expect(await page.evaluate(`[...document.querySelectorAll(':not(:defined)')].map((each) => each.localName)`)).toEqual([]);
    expect(elements.filter((tag) => !reference.includes(`<${tag}`))).toEqual([]);
    expect(await findings()).toEqual([]);
  });

  test('names every token and no other', () => {
    const set = new Set([...read('sdk/web/ui/svc-ui.css').matchAll(/^\s*(--svc-[\w-]+):/gm)].map(([, name]) => name!));
    expect(new Set(reference.match(/--svc-[a-z-]+/g))).toEqual(set);
  });
});
