/**
 * Registers the worker of offline/worker.ts after a sign-in; only where apps have their own origins. In path mode the shell's origin is
 * that of the apps too, and an existing worker of svc is removed.
 */
const script = '/offline.js';

/** Without one (plain http from another machine, a private window) the desktop is the same, but for the page while the portal is away. */
export async function keepOfflinePage(origins: 'subdomain' | 'path'): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  try {
    if (origins === 'subdomain') await navigator.serviceWorker.register(script, { updateViaCache: 'none' });
    else
      for (const registration of await navigator.serviceWorker.getRegistrations())
        if (isOurs(registration)) await registration.unregister();
  } catch {
    // The next load tries again.
  }
}

const isOurs = ({ active, waiting, installing, scope }: ServiceWorkerRegistration): boolean =>
  scope === `${location.origin}/` && [active, waiting, installing].some((worker) => worker?.scriptURL === `${location.origin}${script}`);
