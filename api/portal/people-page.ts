/**
 * The page that a browser gets where a program would get a problem document: styled as the error panel, in the person's language. Only for
 * refusals that a person meets by following a link or typing an address; everything else is JSON.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ErrorCode, SvcError } from '../../schema/errors.ts';
import { problemText } from '../../schema/texts/problems.ts';
import type { Site } from '../http/hosts.ts';
import { isNavigation } from '../http/navigation.ts';
import { helpLink, pageHead, pageStyleHash } from '../connections/page-head.ts';
import { escapeHtml } from '../../schema/html.ts';
import { sendProblem } from '../http/problems.ts';
import { pageLanguage } from '../http/page-language.ts';
import { ownProcess } from '../http/security-headers.ts';

const words = {
  pt: {
    hints: {
      NOT_FOUND: 'O endereço está errado, ou o aplicativo não está instalado para você.',
      PASS_REFUSED: 'Abra o aplicativo de novo pela área de trabalho.',
      RATE_LIMITED: 'Espere um minuto e abra de novo.',
      INTERNAL: 'Tente de novo. Se continuar, avise quem administra o portal.',
    },
    home: 'Ir para a área de trabalho',
    help: 'Ajuda sobre isto',
    detail: 'Detalhe técnico',
  },
  en: {
    hints: {
      NOT_FOUND: 'The address is wrong, or the app is not installed for you.',
      PASS_REFUSED: 'Open the app again from the desktop.',
      RATE_LIMITED: 'Wait a minute and open it again.',
      INTERNAL: 'Try again. If it goes on, tell who runs the portal.',
    },
    home: 'Go to the desktop',
    help: 'Help about this',
    detail: 'Technical detail',
  },
} as const;

type PageCode = keyof (typeof words)['pt']['hints'];
const hasPage = (code: ErrorCode): code is PageCode => Object.hasOwn(words.pt.hints, code);

export interface PeoplePage {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Null when the answer is JSON: no navigation, or a refusal that only programs meet. */
export function peoplePage(req: IncomingMessage, error: SvcError, site: Site): PeoplePage | null {
  if (!isNavigation(req) || !hasPage(error.code)) return null;
  const policy = `default-src 'none'; style-src ${pageStyleHash}; base-uri 'none'; form-action 'none'; frame-ancestors ${site.origin}`;
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy,
    ...ownProcess,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    vary: 'Accept, Accept-Language, Sec-Fetch-Dest, Sec-Fetch-Mode',
  };
  // In a window of the desktop the desktop is there already, and refuses to be framed.
  const alone = (req.headers['sec-fetch-dest'] ?? 'document') === 'document';
  return {
    headers,
    body: bodyOf(error, error.code, { language: req.headers['accept-language'] ?? '', portal: site.origin, alone }),
  };
}

/** Answers with the page or with the problem document. `headers` are added to either. */
export function sendRefusal(
  req: IncomingMessage,
  res: ServerResponse,
  error: SvcError,
  { site, headers = {} }: { readonly site: Site; readonly headers?: Record<string, string> },
): void {
  const page = peoplePage(req, error, site);
  if (page === null) return sendProblem(res, error, req.method, headers);
  res.writeHead(error.status, { ...headers, ...page.headers, 'content-length': Buffer.byteLength(page.body) });
  res.end(req.method === 'HEAD' ? undefined : page.body);
}

function bodyOf(
  error: SvcError,
  code: PageCode,
  asked: { readonly language: string; readonly portal: string; readonly alone: boolean },
): string {
  const language = pageLanguage(asked.language);
  const text = words[language];
  const title = problemText(code, language) ?? code;
  const home = asked.alone ? `<p><a href="${escapeHtml(asked.portal)}/">${text.home}</a></p>\n` : '';
  const help = `<p>${helpLink(asked.portal, code.toLowerCase().replace('_', '-'), language, text.help)}</p>\n`;
  return `${pageHead(language, title)}
<body>
<main>
<h1>${escapeHtml(title)}</h1>
<p>${text.hints[code]}</p>
${home}${help}<details>
<summary>${text.detail}</summary>
<p lang="en"><code>${code}</code> ${escapeHtml(error.message)}</p>
</details>
</main>
</body>
</html>
`;
}
