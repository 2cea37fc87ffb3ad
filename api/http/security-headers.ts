/** Headers of the shell's origin and of app origins. Decision: docs/decisions/0035-http-border.md */
import type { Site } from './hosts.ts';

/**
 * Features that no page of the portal and no frame in it may use. An app that needs the camera or a second screen is opened in a tab of its own, where the
 * browser names it and asks for it alone. `bluetooth` is not named: Chromium on Linux and other browsers know no such feature and say so on every
 * page; where there is one, frames of other origins have it not by default, and a device is chosen in the browser's own dialog.
 */
const refusedFeatures =
  'camera=(), geolocation=(), payment=(), usb=(), serial=(), hid=(), midi=(), display-capture=(), ' +
  'local-fonts=(), idle-detection=(), screen-wake-lock=(), window-management=(), ' +
  // The portal's pages alone ask for passkeys: no frame has them passed on.
  'publickey-credentials-get=(self), publickey-credentials-create=(self)';
/** Passed on to the frame of an app that the person allowed it (shell/frames/frame-permissions.ts). */
const passedOnFeatures = ['microphone', 'clipboard-read', 'fullscreen'];
const without = passedOnFeatures.map((feature) => `${feature}=()`).join(', ');

/**
 * A permission is asked for and kept under the name of the page at the top: a browser that let one app read the clipboard would let all of them, and an app
 * at full screen can draw this desktop, its sign-in page included. So a frame has none of them without `allow`, which the shell writes for that
 * app. In path mode a frame is of the shell's own origin and would have them by itself: there only a tab has them. Frames get `clipboard-write`
 * always; pasting by keyboard or menu needs no permission. Decision: docs/decisions/0441-permissions-of-a-window.md
 */
function permissionsPolicy(site: Site): string {
  if (site.origins === 'path') return `${refusedFeatures}, ${without}`;
  return `${refusedFeatures}, ${passedOnFeatures.map((feature) => `${feature}=(self "${site.scheme}://*.${site.host}")`).join(', ')}`;
}

/**
 * A header of every page of shell and apps: with it a browser gives each origin a process of its own, so that a page that never returns stops itself
 * alone. One page of an origin without it, and the origin has none for as long as the tab is there. Decision:
 * docs/decisions/0340-popups-and-processes.md
 */
export const ownProcess = { 'origin-agent-cluster': '?1' } as const;

/** For every answer of the shell's origin. */
export function shellHeaders(site: Site): Record<string, string> {
  return {
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    // Windows of apps keep the tabs that they open. In path mode such a tab is of the shell's own origin, and would have a hold on the desktop.
    'cross-origin-opener-policy': site.origins === 'path' ? 'same-origin' : 'same-origin-allow-popups',
    ...ownProcess,
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': permissionsPolicy(site),
    'content-security-policy': shellPolicy(site),
  };
}

/** For a script that only modules of the shell import: what rules a page has nothing to rule there, and the first load has some twenty of them. */
export const partHeaders = { 'x-content-type-options': 'nosniff', 'cross-origin-resource-policy': 'same-origin' } as const;

/** The shell runs its own scripts only, frames apps only, and can't be framed. */
export function shellPolicy(site: Site): string {
  const apps = site.origins === 'path' ? "'self'" : `${site.scheme}://*.${site.host}`;
  const events = `${site.scheme === 'https' ? 'wss' : 'ws'}://${site.host}`;
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    // Files of people are on an origin of their own below the portal's name (docs/decisions/0220-previews-of-files.md).
    `img-src 'self' data: blob:${site.origins === 'path' ? '' : ` ${apps}`}`,
    `media-src blob:${site.origins === 'path' ? '' : ` ${apps}`}`,
    "font-src 'self'",
    "manifest-src 'self'",
    // close-tabs goes to app origins (rules 3.3 rule 6).
    `connect-src 'self' ${events} ${apps}`,
    // 'self': on its way to an app a frame is sent through /api/apps/:id/abrir. Our own pages refuse to be framed.
    `frame-src ${site.origins === 'path' ? apps : `'self' ${apps}`}`,
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** For what is data, never a page: JSON, logs, icons. An SVG that is opened by its address runs nothing. */
export const dataPolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'";

/**
 * A file on the origin of files: nothing runs, nothing is loaded, only the shell frames it, and it is of no origin at all. Browsers show no PDF in a sandbox: such a file has the
 * origin of files, where nothing is but the page that prints it. Decision: docs/decisions/0220-previews-of-files.md
 */
export function previewHeaders(site: Site, type: string): Record<string, string> {
  const isPdf = type === 'application/pdf';
  return {
    ...ownProcess,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-site',
    'permissions-policy': `${refusedFeatures}, ${without}`,
    'cache-control': 'private, no-store',
    'content-security-policy': `default-src 'none'; style-src 'unsafe-inline'; ${isPdf ? "object-src 'self'; " : 'sandbox; '}base-uri 'none'; form-action 'none'; frame-ancestors ${isPdf ? "'self' " : ''}${site.origin}`,
  };
}

/** Added to every answer of an app on its origin: only the shell may frame it. */
export function appFramePolicy(site: Site): string {
  return `frame-ancestors ${site.origin}`;
}

/** For the portal's own answers on an app's origin. */
export function appAnswerHeaders(site: Site): Record<string, string> {
  return {
    ...ownProcess,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-site',
    'content-security-policy': `default-src 'none'; ${appFramePolicy(site)}`,
  };
}
