/**
 * Shown instead of the desktop while the portal can't be reached. One page without any other resource: the worker makes it, nothing is
 * cached. It retries and loads the desktop at the first answer.
 */
import type { TextLanguage } from '../../schema/texts/reasons.ts';

export const offlineWords: {
  readonly [L in TextLanguage]: {
    readonly tag: string;
    readonly title: string;
    readonly lead: string;
    readonly retry: string;
    readonly asking: string;
    readonly still: string;
  };
} = {
  pt: {
    tag: 'pt-BR',
    title: 'O portal não respondeu',
    lead: 'A rede caiu ou o portal está parado. Seus aplicativos continuam no servidor, e a área de trabalho volta sozinha.',
    retry: 'Tentar de novo',
    asking: 'Perguntando ao portal…',
    still: 'Ainda sem resposta; nova tentativa em breve.',
  },
  en: {
    tag: 'en',
    title: 'The portal did not answer',
    lead: 'The network is down or the portal is stopped. Your apps go on at the server, and the desktop comes back by itself.',
    retry: 'Try again',
    asking: 'Asking the portal…',
    still: 'No answer yet; trying again soon.',
  },
};

const style = `
:root { color-scheme: light dark; --wall: light-dark(#e9edf5, #10141d); --ink: light-dark(#1a2130, #e8ecf4); --wall-muted: light-dark(#49546a, #a8b2c5);
  --accent: light-dark(#2f5bd0, #3f6be0); --on-accent: #ffffff; }
:root[data-theme='light'] { color-scheme: light; }
:root[data-theme='dark'] { color-scheme: dark; }
body { display: grid; place-items: center; min-height: 100dvh; margin: 0; padding: 16px; box-sizing: border-box; background: var(--wall); color: var(--ink);
  font: 15px/1.45 system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'DejaVu Sans', sans-serif; }
main { max-width: 46ch; text-align: center; }
h1 { margin: 16px 0 8px; font-size: 22px; }
p { margin: 0 0 16px; color: var(--wall-muted); overflow-wrap: anywhere; }
button { min-height: 44px; padding: 0 18px; border: 0; border-radius: 8px; background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 500; cursor: pointer; }
button:focus-visible { outline: 2px solid var(--ink); outline-offset: 2px; }
#state { min-height: 1.45em; margin-top: 16px; font-size: 13px; }
`;

/** Source of the names in storage: ui/theme.ts and main.ts. A proxy that finds no portal behind it answers for it: that is no answer. */
const script = `
const words = JSON.parse(document.getElementById('words').textContent);
const kept = (name) => { try { return localStorage.getItem(name); } catch { return null; } };
const tags = [kept('svc.language') ?? '', ...navigator.languages].map((tag) => tag.slice(0, 2).toLowerCase());
const say = words[tags.find((tag) => tag in words) ?? 'en'];
const system = matchMedia('(prefers-color-scheme: dark)');
const dress = () => {
  const theme = kept('svc.theme');
  document.documentElement.dataset.theme = theme === 'dark' || (theme !== 'light' && system.matches) ? 'dark' : 'light';
};
system.addEventListener('change', dress);
dress();
const byId = (id) => document.getElementById(id);
document.documentElement.lang = say.tag;
document.title = say.title + ' · svc';
byId('title').textContent = say.title;
byId('lead').textContent = say.lead;
byId('retry').textContent = say.retry;
let timer = 0;
let asking = false;
const ask = async () => {
  if (asking) return;
  asking = true;
  clearTimeout(timer);
  try {
    const { status } = await fetch('/api/sessao', { cache: 'no-store', signal: AbortSignal.timeout(10000) });
    if (![502, 503, 504].includes(status)) return location.reload();
  } catch {}
  asking = false;
  byId('state').textContent = say.still;
  const longestMs = Math.min(10000, Math.max(2000, performance.now() / 30));
  timer = setTimeout(ask, longestMs * (0.5 + Math.random() / 2));
};
byId('retry').addEventListener('click', () => { byId('state').textContent = say.asking; ask(); });
addEventListener('online', ask);
addEventListener('focus', ask);
document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && ask());
timer = setTimeout(ask, 1000);
`;

/** `nonce` lets exactly this style and this script through the policy of the answer. */
export function offlinePage(nonce: string): string {
  const words = JSON.stringify(offlineWords).replaceAll('<', String.raw`\u003c`);
  return `<!doctype html>
<html lang="${offlineWords.en.tag}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>svc</title>
<style nonce="${nonce}">${style}</style>
</head>
<body>
<main>
<h1 id="title"></h1>
<p id="lead"></p>
<button id="retry" type="button"></button>
<p id="state" role="status"></p>
</main>
<script nonce="${nonce}" type="application/json" id="words">${words}</script>
<script nonce="${nonce}">${script}</script>
</body>
</html>
`;
}

export const offlinePolicy = (nonce: string): string =>
  `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
