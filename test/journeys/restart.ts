/** A person at work while the portal ends and starts again: what they see meanwhile, and what they have afterwards. */
import { rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { frontWindow, menuItem, windowOf, type Person } from './person.ts';
import type { ShippedPortal } from './shipped-portal.ts';
import { soonMs, until } from './until.ts';
import { closeFront, tile } from './window-acts.ts';

/** Larger than a piece of an upload. */
const uploadBytes = 12 * 1024 ** 2;
const uploadBytesPerS = 6 * 1024 ** 2;
/** From the portal's answer to the desktop's word that it is connected. The machine may do other work. */
const reconnectMsMax = 15_000;

export async function restartJourney(person: Person, portal: ShippedPortal): Promise<void> {
  const { page } = person;
  const top = frontWindow(page);
  await person.act('opens a terminal', async () => {
    await tile(person, 'Terminal').click();
    await top.locator('svc-screen[shown] .xterm-rows').waitFor();
  });
  await person.act('opens Files and sends a file', async () => {
    await page.locator('svc-taskbar .launch').click();
    await page.locator('svc-launcher').getByRole('combobox').fill('Arquivos');
    await page.keyboard.press('Enter');
    await top.locator('svc-file-view [data-name]').first().waitFor();
    const debugging = await page.context().newCDPSession(page);
    await debugging.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput: uploadBytesPerS,
    });
    // A journey of before may have sent one.
    await rm(path.join(portal.files, 'envio.bin'), { force: true });
    const file = path.join(path.dirname(portal.files), 'envio.bin');
    await writeFile(file, Buffer.alloc(uploadBytes, 7));
    const chooser = page.waitForEvent('filechooser');
    await top.getByRole('button', { name: 'Mais ações' }).click();
    await menuItem(page, 'Enviar arquivos').click();
    await (await chooser).setFiles(file);
    await page.waitForResponse((response) => /\/api\/arquivos\/.*envio/i.test(response.url()) && response.ok());
  });
  await person.act(
    'the portal ends',
    async () => {
      person.away();
      await portal.kill();
      await page.locator('svc-taskbar .status.offline').waitFor();
    },
    { focus: 'anywhere' },
  );
  await person.act(
    'the portal is back',
    async () => {
      await portal.again();
      const startMs = performance.now();
      await page.locator('svc-taskbar .status.online').waitFor();
      const tookMs = performance.now() - startMs;
      if (tookMs > reconnectMsMax) person.found.push(`the portal is back: reconnect: the desktop took ${Math.round(tookMs)} ms`);
      person.back();
    },
    { focus: 'anywhere' },
  );
  await person.act('the upload goes on', async () => {
    const whole = async (): Promise<boolean> => (await stat(path.join(portal.files, 'envio.bin')).catch(() => null))?.size === uploadBytes;
    if (!(await until('', whole, 180_000).catch(() => false))) person.found.push('the upload goes on: lost: the file did not arrive');
  });
  await person.act('the terminal says what became of its shell, once', async () => {
    const shell = windowOf(page, 'Terminal');
    await page.locator('svc-taskbar .window').filter({ hasText: 'Terminal' }).click();
    const words = async (): Promise<string> => (await shell.locator('svc-terminal').allInnerTexts()).join(' ');
    const button = shell.getByRole('tabpanel').getByRole('button', { name: 'Novo terminal' });
    await until('', async () => (await button.count()) > 0, soonMs).catch(() =>
      person.found.push('the terminal: restart: its message has no button for a new shell'),
    );
    const text = await words();
    if (/não existe mais/.test(text) && /Tentando de novo/.test(text))
      person.found.push('the terminal: restart: two messages that contradict each other');
    await shell.getByRole('button', { name: 'Novo terminal' }).last().click();
    await until('a prompt', async () => /[$#]\s*$/.test((await shell.locator('svc-screen[shown] .xterm-rows').innerText()).trim()));
  });
  for (const name of ['Terminal', 'Arquivos']) await person.act(`closes ${name}`, async () => await closeFront(person));
}
