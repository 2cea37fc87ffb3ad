/** Requests, sockets and scripts of the page of an app. */
import { inPathMode, visits, type Aim, type Attack, type Cell } from './attack.ts';

/** Whether what the page did reached the backend of the victim. */
const reaches =
  (act: (aim: Aim) => unknown) =>
  async (cell: Cell): Promise<boolean> => {
    const before = await visits(cell);
    const answered = cell.page.waitForEvent('requestfinished', { predicate: (one) => one.url().includes('/alvo'), timeout: 5_000 });
    const failed = cell.page.waitForEvent('requestfailed', { predicate: (one) => one.url().includes('/alvo'), timeout: 5_000 });
    await cell.hostile.evaluate(act, cell.aim).catch(() => undefined);
    await Promise.any([answered, failed]).catch(() => undefined);
    return (await visits(cell)) > before;
  };
/** Whether the portal took the order; the browser may keep the answer from everybody, this program included. */
const starts =
  (act: (aim: Aim) => unknown) =>
  async ({ page, hostile, aim }: Cell): Promise<boolean> => {
    const isIt = (url: string): boolean => url.includes('apps/vitima/start');
    const answered = page
      .waitForEvent('response', { predicate: (one) => isIt(one.url()), timeout: 20_000 })
      .then((one) => one.status() < 400);
    const failed = page.waitForEvent('requestfailed', { predicate: (one) => isIt(one.url()), timeout: 20_000 }).then(() => false);
    await hostile.evaluate(act, aim);
    return await Promise.any([answered, failed]);
  };
export const requests: readonly Attack[] = [
  {
    what: 'reads the API of the shell',
    by: 'the shell answers other origins without CORS',
    open: inPathMode,
    inPage: async ({ shell }) => (await (await fetch(`${shell}api/sessao`, { credentials: 'include' })).text()).includes('ana'),
  },
  {
    what: 'reads it through a redirect of its own',
    by: 'the origin of a request that was redirected to another origin is none',
    inPage: async ({ own, shell }) =>
      (await (await fetch(`${own}salto?para=${encodeURIComponent(`${shell}api/sessao`)}`, { credentials: 'include' })).text()).includes(
        'usuario',
      ),
  },
  {
    what: 'loads the API as a script',
    by: 'the API is JSON with nosniff, and Cross-Origin-Resource-Policy',
    inPage: async ({ shell }) =>
      await new Promise<boolean>((resolve) => {
        const script = document.createElement('script');
        script.addEventListener('load', () => resolve(true));
        script.addEventListener('error', () => resolve(false));
        script.src = `${shell}api/apps`;
        document.body.append(script);
      }),
  },
  {
    what: 'starts an app by a request that needs no leave',
    by: 'the portal looks at Origin',
    open: inPathMode,
    seen: starts(({ shell }) => void fetch(`${shell}api/apps/vitima/start`, { method: 'POST', mode: 'no-cors', credentials: 'include' })),
  },
  {
    what: 'starts an app by a form',
    by: 'the portal looks at Origin, takes JSON only, and is in no frame',
    seen: starts(({ shell }) => {
      const inner = document.createElement('iframe');
      inner.name = 'formulario';
      const form = document.createElement('form');
      form.method = 'post';
      form.target = 'formulario';
      form.action = `${shell}api/apps/vitima/start`;
      document.body.append(inner, form);
      form.submit();
    }),
  },
  {
    what: 'opens the events of the shell',
    by: 'the portal looks at Origin',
    open: inPathMode,
    inPage: async ({ shell }) =>
      await new Promise<boolean>((resolve) => {
        const socket = new WebSocket(`${shell.replace('http', 'ws')}ws/events`);
        socket.addEventListener('open', () => resolve(true));
        socket.addEventListener('error', () => resolve(false));
      }),
  },
  {
    what: 'reads a page of another app',
    by: 'the proxy takes requests of the app itself and of the shell only',
    open: inPathMode,
    inPage: async ({ victim, secret }) => (await (await fetch(`${victim}alvo`, { credentials: 'include' })).text()).includes(secret),
  },
  {
    what: 'posts to another app',
    by: 'the proxy takes requests of the app itself and of the shell only',
    open: inPathMode,
    seen: reaches(({ victim }) => fetch(`${victim}alvo`, { method: 'POST', mode: 'no-cors', credentials: 'include' })),
  },
  {
    what: 'loads an image from another app',
    by: 'the proxy takes requests of the app itself and of the shell only',
    open: inPathMode,
    seen: reaches(({ victim }) => {
      new Image().src = `${victim}alvo?imagem`;
    }),
  },
  {
    what: 'opens a WebSocket of another app',
    by: 'the proxy takes requests of the app itself and of the shell only',
    open: inPathMode,
    inPage: async ({ victim }) =>
      await new Promise<boolean>((resolve) => {
        const socket = new WebSocket(`${victim.replace('http', 'ws')}ws`);
        socket.addEventListener('open', () => resolve(true));
        socket.addEventListener('error', () => resolve(false));
      }),
  },
];
