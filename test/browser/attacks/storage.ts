/**
 * Attacks on cookies, storage, caches, workers and channels. The data of the shell and the victim is put there before:
 * cross-app.real.test.ts, hostile-apps.ts.
 */
import { frameOfVictim, inPathMode, type Aim, type Attack, type Cell, type Mode } from './attack.ts';

const both: readonly Mode[] = ['subdomain', 'path'];

const portalCookies = async ({ page, aim }: Cell): Promise<string> =>
  JSON.stringify((await page.context().cookies(aim.shell)).filter(({ name }) => /svc/i.test(name)).map(({ name, value }) => [name, value]));
/** Whether the cookies that the portal believes are others afterwards. */
const changesCookies =
  (act: (aim: Aim) => unknown) =>
  async (cell: Cell): Promise<boolean> => {
    const before = await portalCookies(cell);
    await cell.hostile.evaluate(act, cell.aim).catch(() => undefined);
    return (await portalCookies(cell)) !== before;
  };
/** Whether the backend of the victim gets that cookie afterwards. */
const tossesCookie =
  (cookie: string, act: (aim: Aim) => unknown) =>
  async (cell: Cell): Promise<boolean> => {
    await cell.hostile.evaluate(act, cell.aim).catch(() => undefined);
    const got = await frameOfVictim(cell).evaluate(async (url) => await (await fetch(`${url}biscoitos`)).text(), cell.aim.victim);
    return got.split('; ').includes(cookie);
  };

export const storage: readonly Attack[] = [
  { what: 'reads the session cookie', by: 'HttpOnly, of one host', inPage: () => /svc/.test(document.cookie) },
  {
    what: 'plants a session cookie by script',
    by: 'the prefix `__Host-`',
    seen: changesCookies(() => {
      for (const rest of ['', '; Domain=svc.localhost']) document.cookie = `__Host-svc=plantada; Path=/; Secure${rest}`;
    }),
  },
  {
    what: 'plants cookies of the portal by an answer',
    by: 'the proxy drops them',
    seen: changesCookies(async ({ own }) => await fetch(`${own}jarro`)),
  },
  {
    what: 'puts another session in the place of the one that is there, by a link of its own',
    by: 'the portal looks at Origin',
    open: inPathMode,
    seen: async (cell) => {
      const before = await portalCookies(cell);
      const signIn = { shell: cell.aim.shell, passe: await cell.pass() };
      await cell.hostile
        .evaluate(async ({ shell, passe }) => {
          const headers = { 'content-type': 'application/json' };
          await fetch(`${shell}api/sessao`, { method: 'POST', credentials: 'include', headers, body: JSON.stringify({ passe }) });
        }, signIn)
        .catch(() => undefined);
      return (await portalCookies(cell)) !== before;
    },
  },
  {
    what: 'clears the cookies of the portal by an answer',
    by: 'the proxy leaves of `Clear-Site-Data` what is of the app',
    seen: changesCookies(async ({ own }) => await fetch(`${own}limpa`)),
  },
  {
    what: 'plants a cookie with the prefix `__Host-` in another app',
    by: 'the prefix',
    open: inPathMode,
    seen: tossesCookie('__Host-marca=plantada', () => {
      for (const rest of ['', '; Domain=svc.localhost']) document.cookie = `__Host-marca=plantada; Path=/; Secure${rest}`;
    }),
  },
  {
    what: 'plants a cookie of the whole domain in another app by an answer',
    by: 'the proxy drops it',
    seen: tossesCookie('larga=1', async ({ own }) => await fetch(`${own}jarro`)),
  },
  {
    what: 'plants a cookie of the whole domain in another app by script',
    by: 'nothing: browsers offer no way',
    open: both,
    seen: tossesCookie('atirada=1', () => {
      document.cookie = 'atirada=1; Path=/; Domain=svc.localhost';
    }),
  },
  {
    what: 'reads what the shell stores',
    by: 'another origin',
    open: inPathMode,
    inPage: () => localStorage.getItem('do-shell') === 'guardado',
  },
  {
    what: 'finds the session key of the shell',
    by: 'another origin',
    open: inPathMode,
    inPage: async ({ own }) => (await indexedDB.databases()).some(({ name }) => name?.startsWith('svc') && own !== ''),
  },
  {
    what: 'reads a cache of the shell',
    by: 'another origin',
    open: inPathMode,
    inPage: async () => (await (await caches.match('/do-shell'))?.text()) === 'guardado',
  },
  {
    what: 'reads what another app stores',
    by: 'another origin',
    open: inPathMode,
    inPage: ({ secret }) => localStorage.getItem('vitima') === secret,
  },
  {
    what: 'reads what another app stores for the session',
    by: 'another origin',
    open: inPathMode,
    inPage: ({ secret }) => sessionStorage.getItem('vitima') === secret,
  },
  {
    what: 'finds a database of another app',
    by: 'another origin',
    open: inPathMode,
    inPage: async () => (await indexedDB.databases()).some(({ name }) => name === 'da-vitima'),
  },
  {
    what: 'reads a cache of another app',
    by: 'another origin',
    open: inPathMode,
    inPage: async ({ secret }) => (await (await caches.match('/da-vitima'))?.text()) === secret,
  },
  {
    what: 'reads a private file of another app',
    by: 'another origin',
    open: inPathMode,
    inPage: async ({ secret }) => {
      const folder = await navigator.storage.getDirectory();
      return (await (await (await folder.getFileHandle('da-vitima')).getFile()).text()) === secret;
    },
  },
  {
    what: 'puts a service worker over the shell',
    by: 'another origin; in path mode the proxy drops `Service-Worker-Allowed`',
    inPage: async ({ own, shell }) => {
      const scopes: string[] = [];
      for (const scope of [shell, '/', undefined]) {
        const made = await navigator.serviceWorker.register(`${own}sw.js`, scope === undefined ? {} : { scope }).catch(() => null);
        if (made !== null) scopes.push(made.scope);
        await made?.unregister();
      }
      return scopes.some((scope) => shell.startsWith(scope));
    },
  },
  {
    what: 'puts a service worker over another app',
    by: 'another origin; in path mode the proxy drops `Service-Worker-Allowed`',
    inPage: async ({ own, victim }) => {
      const scopes: string[] = [];
      for (const scope of [victim, '/', undefined]) {
        const made = await navigator.serviceWorker.register(`${own}sw.js`, scope === undefined ? {} : { scope }).catch(() => null);
        if (made !== null) scopes.push(made.scope);
        await made?.unregister();
      }
      return scopes.some((scope) => victim.startsWith(scope));
    },
  },
  {
    what: 'makes a service worker or a script of an attachment',
    by: 'another origin; an attachment is served as data, and to nobody as code',
    inPage: async ({ shell, own }) => {
      const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"nome":"Anexos"}' };
      const { id } = await (await fetch(`${shell}api/salas?app=hostil`, post)).json();
      const put = { method: 'PUT', headers: { 'content-type': 'text/javascript' }, body: `globalThis.anexo = '${own}'` };
      const { sha } = await (await fetch(`${shell}api/salas/${id}/anexos?app=hostil`, put)).json();
      const address = `${shell}api/salas/${id}/anexos/${sha}?app=hostil`;
      const made = await navigator.serviceWorker.register(address).catch(() => null);
      await made?.unregister();
      const script = document.createElement('script');
      script.src = address;
      const ran = new Promise<boolean>((resolve) => {
        script.addEventListener('load', () => resolve('anexo' in globalThis));
        script.addEventListener('error', () => resolve(false));
      });
      document.body.append(script);
      return (await ran) || made !== null;
    },
  },
  {
    what: 'hears the channel of another app',
    by: 'another origin',
    open: inPathMode,
    inPage: async ({ secret }) =>
      await new Promise<boolean>((resolve) => {
        const channel = new BroadcastChannel('canal');
        channel.addEventListener('message', ({ data }) => resolve(data === secret));
        // The victim says it twenty times a second.
        setTimeout(() => resolve(false), 2_000);
      }),
  },
  {
    what: 'joins the SharedWorker of another app',
    by: 'another origin',
    open: inPathMode,
    inPage: async ({ victim, secret }) =>
      await new Promise<boolean>((resolve) => {
        const { port } = new SharedWorker(`${victim}obreiro.js`);
        port.addEventListener('message', ({ data }) => resolve(data === secret));
        port.start();
        setTimeout(() => resolve(false), 2_000);
      }),
  },
];
