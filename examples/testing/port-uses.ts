/** How each program of examples/ports is used: what a person does in its page. Those with small packages; the others are in large-port-uses.ts. */
import { expect } from 'vitest';
import type { Port } from './port.ts';

/** Types into the terminal of Shell In A Box, which has a page of its own for the keyboard. */
export const portUses: Readonly<Record<string, Port>> = {
  shellinabox: {
    title: 'Shell In A Box',
    program: /^shellinaboxd /,
    use: async (app, page) => {
      await app.locator('#vt100 #console').click();
      await page.keyboard.type('cd; echo $((6*7)) > feito; clear; cat feito feito\n');
      await expect.poll(async () => await app.locator('#vt100').innerText()).toMatch(/42\s+42/);
    },
    found: async (app, page) => {
      await app.locator('#vt100 #console').click();
      await page.keyboard.type('clear; cat feito feito feito\n');
      await expect.poll(async () => await app.locator('#vt100').innerText()).toMatch(/42\s+42\s+42/);
    },
    work: {
      begin: async (app, page) => {
        await app.locator('#vt100 #console').click();
        await page.keyboard.type('sleep 1000\n');
      },
      end: async (app, page) => {
        await app.locator('#vt100 #console').click();
        await page.keyboard.press('Control+c');
      },
    },
  },
  adminer: {
    title: 'Adminer',
    program: /^php /,
    use: async (app) => {
      await app.getByRole('link', { name: 'SQL command' }).click();
      await app.locator('textarea[name=query]').fill("create table aves (nome text); insert into aves values ('sabiá'), ('tiê')", { force: true });
      await app.getByRole('button', { name: 'Execute' }).click();
      await app.getByText('Query executed OK, 2 rows affected').waitFor();
    },
    found: async (app) => {
      await app.getByRole('link', { name: 'aves', exact: true }).first().click();
      await app.getByRole('link', { name: 'Select data' }).click();
      await app.getByText('sabiá').waitFor();
    },
  },
  excalidraw: {
    title: 'Excalidraw',
    program: /http\.server/,
    use: async (app, page) => {
      await app.locator('canvas.interactive').waitFor();
      await page.keyboard.press('r');
    },
    found: async () => undefined,
  },
  prometheus: {
    title: 'Prometheus',
    program: /^prometheus /,
    use: async (app) => {
      await app.getByRole('textbox').fill('up');
      await app.getByRole('button', { name: 'Execute' }).click();
      await app.getByText('up{instance="127.0.0.1:9090", job="prometheus"}').waitFor();
    },
    found: async (app) => {
      await app.getByRole('textbox').fill('count_over_time(up[1h]) > 0');
      await app.getByRole('button', { name: 'Execute' }).click();
      await app.getByText('job="prometheus"').waitFor();
    },
  },
};
