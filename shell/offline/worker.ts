/**
 * The service worker of the shell's origin. It does one thing: when the desktop is requested and the portal does not answer, it shows the
 * offline page. It stores nothing (Cache Storage is empty), and handles no other request: no app (their origins have no worker of svc), no
 * API, no file of the shell. It answers the navigation to `/` without a query when the portal does not answer it, or a proxy says 502 or
 * 504, with a page that it makes itself under a policy that runs exactly its own script. That page asks `/api/sessao` with a backoff of up
 * to 10 s, and loads the desktop at the first answer. A sign-in link carries a query, so it never passes through; the navigation that does
 * is sent by the browser itself (navigation preload), with its usual headers, and a browser without preload gets no page.
 * The browser compares it at every load of the desktop (`updateViaCache: none`); it unregisters itself once the portal has no `/offline.js`
 * any more. Without it a reload of the desktop shows the browser's error page, which does not retry. The worker holds no state, so a newer
 * one replaces it at once. Over plain http from another machine browsers have no service workers.
 */
import { offlinePage, offlinePolicy } from './page.ts';

/** Types that the library for pages lacks. */
interface WorkerEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface RequestEvent extends WorkerEvent {
  readonly request: Request;
  readonly preloadResponse: Promise<Response | undefined>;
  respondWith(answer: Promise<Response>): void;
}
interface WorkerScope {
  readonly location: Location;
  readonly registration: ServiceWorkerRegistration;
  skipWaiting(): Promise<void>;
  addEventListener(type: 'install' | 'activate', listener: (event: WorkerEvent) => void): void;
  addEventListener(type: 'fetch', listener: (event: RequestEvent) => void): void;
}

const scope = globalThis as unknown as WorkerScope;

// It holds nothing that a page could need: a newer one takes its place at once.
scope.addEventListener('install', (event) => event.waitUntil(scope.skipWaiting()));
scope.addEventListener('activate', (event) => event.waitUntil(enablePreload()));
scope.addEventListener('fetch', (event) => {
  if (!asksForDesktop(event.request) || !('navigationPreload' in scope.registration)) return;
  event.respondWith(answer(event));
});

/** The browser sends the request itself then, with the headers of a navigation. */
async function enablePreload(): Promise<void> {
  if ('navigationPreload' in scope.registration) await scope.registration.navigationPreload.enable();
}

/** A link that signs in carries a query: it never passes through here. */
function asksForDesktop({ mode, method, destination, url }: Request): boolean {
  const { origin, pathname, search } = new URL(url);
  return (
    mode === 'navigate' &&
    destination === 'document' &&
    method === 'GET' &&
    origin === scope.location.origin &&
    pathname === '/' &&
    search === ''
  );
}

async function answer(event: RequestEvent): Promise<Response> {
  try {
    const response = (await event.preloadResponse) ?? (await fetch(event.request));
    // A proxy answers so when there is no portal behind it.
    if (response.status === 502 || response.status === 504) return offline();
    event.waitUntil(leaveWhenGone());
    return response;
  } catch {
    return offline();
  }
}

function offline(): Response {
  const nonce = crypto.randomUUID();
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': offlinePolicy(nonce),
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  };
  return new Response(offlinePage(nonce), { status: 503, headers });
}

/** A portal of another version that has no such worker is not to be left with this one. */
async function leaveWhenGone(): Promise<void> {
  const found = await fetch(scope.location.href, { method: 'HEAD', cache: 'no-store' }).catch(() => null);
  if (found?.status === 404 || found?.status === 410) await scope.registration.unregister();
}
