/** A portal with three people and the example Caderno, and their desktops in browsers of their own. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Browser, BrowserContext, BrowserContextOptions, FrameLocator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { repository, startPortal, type RunningPortal } from '../../support/portal.ts';
import { cleared, frameOf, newPage, openApp, type TestPage } from './browser.ts';
import { closePages, openBrowser } from '../../support/chromium.ts';

export const people = { ana: 'Ana Souza', bia: 'Bia Lima', caio: 'Caio Reis' } as const;
export type PersonName = keyof typeof people;

export interface RoomsWorld {
  readonly portal: RunningPortal;
  readonly browser: Browser;
  /** A desktop, signed in, in a profile of its own. */
  desktop(person: PersonName, options?: BrowserContextOptions): Promise<Desktop>;
  /** Ends every profile, but for one of each person, which is made as new. */
  closeAll(): Promise<void>;
  stop(): Promise<void>;
}

export interface Desktop extends TestPage {
  readonly person: PersonName;
  /** The portal's answer to this person's session, called from the shell's own page. */
  call(method: string, path: string, body?: unknown): Promise<{ readonly status: number; readonly value: unknown }>;
}

const document = (text: string): string => `apiVersion: svc/v1\n${text}\n`;

/** `more`: documents beside the people and the app. */
export async function createRoomsWorld(more: readonly string[] = []): Promise<RoomsWorld> {
  const dir = await mkdtemp(path.join(tmpdir(), 'svcr-'));
  const desired = path.join(dir, 'desired');
  await mkdir(desired);
  const persons = Object.entries(people).map(
    ([login, nome]) =>
      `kind: Person\nmetadata: { name: ${login} }\nspec: { nome: ${nome}, login: ${login}, server: casa, account: ${login}, grupos: [editores] }`,
  );
  const documents = [
    `kind: Portal\nmetadata: { name: casa }\nspec: { repository: "${path.join(repository, 'examples/apps')}" }`,
    'kind: Server\nmetadata: { name: casa }\nspec: { local: { prefix: ".", trusted: true } }',
    ...persons,
    'kind: Package\nmetadata: { name: caderno-casa }\nspec: { app: caderno, versao: 1.0.0, server: casa }',
    ...more,
  ];
  await writeFile(path.join(desired, 'casa.yaml'), documents.map(document).join('---\n'));
  const [portal, browser] = await Promise.all([startPortal({ desired }), openBrowser()]);
  const plain = new Map<BrowserContext, { readonly person: PersonName; readonly made: TestPage }>();
  const spare = new Map<PersonName, TestPage>();
  return {
    portal,
    browser,
    desktop: async (person, options) => {
      const kept = options === undefined ? spare.get(person) : undefined;
      if (kept !== undefined) spare.delete(person);
      const made = kept ?? (await newPage(browser, options));
      if (options === undefined) plain.set(made.page.context(), { person, made });
      return await openDesktop(portal, made, person);
    },
    closeAll: async () => {
      for (const context of browser.contexts()) {
        const { person, made } = plain.get(context) ?? {};
        if (person === undefined || made === undefined || (spare.has(person) && spare.get(person) !== made)) await context.close();
        else if (spare.get(person) === made) continue;
        else if (await cleared(made)) spare.set(person, made);
        else await context.close();
      }
    },
    stop: async () => {
      await closePages(browser);
      await portal.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** For the tests of a file: one world, without open profiles before each test. A second try of a test gets a world of its own. */
export function useRoomsWorld(give: (world: RoomsWorld) => void, more: readonly string[] = []): void {
  let world: RoomsWorld | undefined;
  const begin = async (): Promise<void> => {
    world = await createRoomsWorld(more);
    give(world);
  };
  beforeAll(begin);
  afterAll(() => world?.stop());
  beforeEach(async ({ task }) => {
    await world?.closeAll();
    if ((task.result?.retryCount ?? 0) === 0) return;
    await world?.stop();
    await begin();
  });
}

async function openDesktop(portal: RunningPortal, made: TestPage, person: PersonName): Promise<Desktop> {
  const { body } = await portal.admin('POST', '/api/admin/links', { person, admin: false });
  await made.page.goto((body as { readonly link: string }).link);
  await made.page
    .getByRole('button', { name: /^Caderno|^Notebook/ })
    .first()
    .waitFor();
  const call: Desktop['call'] = async (method, target, sent) => {
    const init = { method, ...(sent === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(sent) }) };
    return await made.page.evaluate(
      async ([url, options]) => {
        const answer = await fetch(url, options);
        const text = await answer.text();
        return { status: answer.status, value: text === '' ? null : (JSON.parse(text) as unknown) };
      },
      [target, init] as const,
    );
  };
  return { ...made, person, call };
}

/** Makes a room of Caderno over the portal's own API and answers with its id. */
export async function makeRoom(owner: Desktop, nome: string, roles: Partial<Record<PersonName, string>> = {}): Promise<string> {
  const { value } = await owner.call('POST', '/api/salas?app=caderno', { nome });
  const { id } = value as { readonly id: string };
  for (const [usuario, papel] of Object.entries(roles)) await owner.call('PUT', `/api/salas/${id}/pessoas/${usuario}`, { papel });
  return id;
}

export const caderno = (page: Page): FrameLocator => frameOf(page, 'Caderno');
export const textOf = (page: Page): ReturnType<FrameLocator['locator']> => caderno(page).locator('.cm-content');

/** Opens Caderno and in it a room by its name. */
export async function openRoom({ page }: Pick<Desktop, 'page'>, nome: string): Promise<FrameLocator> {
  if ((await page.locator('iframe[title="Caderno"]').count()) === 0) await openApp(page, 'Caderno');
  const frame = caderno(page);
  await frame.locator('[data-sala]').filter({ hasText: nome }).click();
  await frame.locator('#estado[data-estado="sincronizado"]').waitFor();
  return frame;
}
