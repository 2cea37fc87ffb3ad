/** How each program of examples/ports is used: what a person does in its page. Those with small packages; the others are in large-port-uses.ts. */
import type { FrameLocator, Page } from 'playwright-core';
import { until } from '../../test/support/portal.ts';
import type { Port } from './port.ts';

/** Types into the terminal of Shell In A Box. */
async function typed(app: FrameLocator, page: Page, text: string): Promise<void> {
  await app.locator('#alt_console').click();
  await page.keyboard.type(text);
}

const shows = async (app: FrameLocator, text: RegExp): Promise<unknown> =>
  await until(`the terminal shows ${String(text)}`, async () => text.test(await app.locator('#alt_console').innerText()));

/** With the tool that is chosen, over the board. */
async function dragged(app: FrameLocator, page: Page): Promise<void> {
  const box = await app.locator('canvas.interactive').boundingBox();
  if (box === null) throw new Error('the board is not to be seen');
  await page.mouse.move(box.x + 400, box.y + 300);
  await page.mouse.down();
  await page.mouse.move(box.x + 600, box.y + 420, { steps: 5 });
  await page.mouse.up();
}

/** The board that the browser keeps has a rectangle. */
const isDrawn = async (app: FrameLocator): Promise<void> =>
  void (await until('the rectangle is kept', async () =>
    /"rectangle"/.test(await app.locator('body').evaluate("localStorage.getItem('excalidraw.quadro') ?? ''")),
  ));

/** Asks Prometheus, again until it has scraped itself. */
async function asked(app: FrameLocator, expression: string, answer: string): Promise<void> {
  await app.getByPlaceholder('Expression').fill(expression);
  await until(`the answer to ${expression}`, async () => {
    await app.getByRole('button', { name: 'Execute' }).click();
    return (await app.locator('body').innerText()).includes(answer);
  });
}

export const portUses: Readonly<Record<string, Port>> = {
  shellinabox: {
    title: 'Shell In A Box',
    program: /^shellinaboxd /,
    use: async (app, page) => {
      await typed(app, page, 'cd; echo $((6*7)) > feito; clear; cat feito feito\n');
      await shows(app, /42\s+42/);
    },
    found: async (app, page) => {
      await typed(app, page, 'clear; cat feito feito feito\n');
      await shows(app, /42\s+42\s+42/);
    },
    work: {
      begin: async (app, page) => {
        await typed(app, page, 'cat\n');
      },
      end: async (app, page) => {
        await app.locator('#alt_console').click();
        await page.keyboard.press('Control+d');
      },
    },
  },
  adminer: {
    title: 'Adminer',
    program: /^php /,
    use: async (app, page) => {
      await app.getByRole('link', { name: 'Comando SQL' }).click();
      await app.locator('pre.sqlarea').click();
      await page.keyboard.type("create table aves (nome text); insert into aves values ('sabiá'), ('tiê')");
      await app.getByRole('button', { name: 'Executar' }).click();
      await app.getByText('2 registros afetados').waitFor();
    },
    found: async (app) => {
      await app.locator('#tables a[href*="select=aves"]').click();
      await app.getByText('sabiá').waitFor();
    },
  },
  excalidraw: {
    title: 'Excalidraw',
    program: /http\.server/,
    use: async (app, page) => {
      await app.locator('canvas.interactive').click({ position: { x: 500, y: 500 } });
      // A key is lost until the board listens.
      await until('the tool for rectangles', async () => {
        await page.keyboard.press('r');
        return await app.getByTestId('toolbar-rectangle').isChecked();
      });
      await dragged(app, page);
      await isDrawn(app);
    },
    found: isDrawn,
  },
  prometheus: {
    title: 'Prometheus',
    program: /^prometheus /,
    use: async (app) => await asked(app, 'up', 'up{instance="127.0.0.1:9090",job="prometheus"}'),
    found: async (app) => await asked(app, 'count_over_time(up[1h]) > 0', '{instance="127.0.0.1:9090",job="prometheus"}'),
  },
};
