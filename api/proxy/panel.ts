/**
 * The error panel: what a window shows when an app could not be reached in time. One page without any other resource, under a policy that runs
 * exactly its own script. Source: rules 3.2 ("an error panel in the window, which retries by itself").
 */
import { readFileSync } from 'node:fs';
import { errorKinds } from '../../schema/errors.ts';
import { problemText } from '../../schema/texts/problems.ts';
import { pageLanguage } from '../http/page-language.ts';
import { reasonTexts } from '../../schema/reasons/derived.ts';
import { stepTexts, type TextLanguage, type Words } from '../../schema/texts/reasons.ts';
import { helpLink, pageHead, pageStyleHash, sourceHash } from '../connections/page-head.ts';
import { escapeHtml } from '../../schema/html.ts';
import { ownProcess } from '../http/security-headers.ts';
import { faceOf, panelButtons, type PanelButton, type PanelState } from './panel-face.ts';

const script = readFileSync(new URL('./panel/panel.js', import.meta.url), 'utf8');

const words = {
  pt: {
    titulos: {
      stopped: '{app} está parado',
      starting: '{app} está iniciando',
      running: '{app} não respondeu',
      opening: 'Abrindo {app}',
      stopping: '{app} está parando',
      crashedAgain: '{app} caiu e será iniciado de novo',
      notStartedYet: '{app} não iniciou; uma nova tentativa vem em seguida',
      crashed: '{app} caiu',
      notStarted: '{app} não conseguiu iniciar',
      unknown: 'Não se sabe como está {app}',
    },
    saidaCodigo: 'Código de saída: {n}',
    saidaSinal: 'Encerrado pelo sinal {s}',
    iniciar: 'Iniciar',
    parar: 'Parar',
    deNovo: 'Tentar de novo',
    registro: 'Últimas linhas do registro',
    etapa: 'Etapa: {etapa}',
    detalhe: 'Detalhe técnico',
    abrindo: 'Abrindo…',
    iniciando: 'Iniciando…',
    parando: 'Parando…',
    tentaEm: 'Nova tentativa em {s} s.',
    espera: 'Esta página se recarrega sozinha quando o aplicativo responder.',
    semPortal: 'O portal não responde; nova tentativa em breve.',
    falhou: 'O pedido não foi aceito.',
    ajuda: 'Ajuda sobre isto',
  },
  en: {
    titulos: {
      stopped: '{app} is stopped',
      starting: '{app} is starting',
      running: '{app} did not answer',
      opening: 'Opening {app}',
      stopping: '{app} is stopping',
      crashedAgain: '{app} crashed and will be started again',
      notStartedYet: '{app} did not start; another attempt follows',
      crashed: '{app} crashed',
      notStarted: '{app} could not start',
      unknown: 'The state of {app} is not known',
    },
    saidaCodigo: 'Exit code: {n}',
    saidaSinal: 'Ended by signal {s}',
    iniciar: 'Start',
    parar: 'Stop',
    deNovo: 'Try again',
    registro: 'Last lines of the log',
    etapa: 'Step: {etapa}',
    detalhe: 'Technical detail',
    abrindo: 'Opening…',
    iniciando: 'Starting…',
    parando: 'Stopping…',
    tentaEm: 'Trying again in {s} s.',
    espera: 'This page loads again by itself once the app answers.',
    semPortal: 'The portal does not answer; trying again soon.',
    falhou: 'The request was not accepted.',
    ajuda: 'Help about this',
  },
} as const;

const languages = ['pt', 'en'] as const;

/** Every reason and error code in words, and every step. A name that is not here is shown as it is. */
const catalogue = Object.fromEntries(
  languages.map((language) => {
    const inWords = (texts: Readonly<Record<string, Words>>): [string, string][] =>
      Object.entries(texts).map(([name, each]) => [name, each[language]]);
    const codes = Object.keys(errorKinds).map((code) => [code, problemText(code, language)] as const);
    return [language, { motivos: Object.fromEntries([...inWords(reasonTexts), ...codes]), passos: Object.fromEntries(inWords(stepTexts)) }];
  }),
) as { readonly [L in TextLanguage]: { readonly motivos: Record<string, string>; readonly passos: Record<string, string> } };

const ownPolicy = `default-src 'none'; script-src ${sourceHash(script)}; style-src ${pageStyleHash}; connect-src 'self'; base-uri 'none'; form-action 'none'`;

export function panelHeaders(portalOrigin: string): Record<string, string> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': `${ownPolicy}; frame-ancestors 'self' ${portalOrigin}`,
    ...ownProcess,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    vary: 'Accept-Language, Sec-Fetch-Dest, Sec-Fetch-Mode',
  };
}

const wordsOfBoth = Object.fromEntries(languages.map((language) => [language, { ...words[language], ...catalogue[language] }]));

type PanelWords = (typeof words)[TextLanguage];

function exitText(exit: ReturnType<typeof faceOf>['exit'], text: PanelWords): string {
  if (exit === null) return '';
  return exit.signal === null ? text.saidaCodigo.replace('{n}', String(exit.code)) : text.saidaSinal.replace('{s}', exit.signal);
}

/** `portalOrigin`: in a window of the desktop there the page takes its looks and its language from it. */
export function panelPage(state: PanelState, basePath: string, acceptLanguage: string, portalOrigin: string): string {
  const language = pageLanguage(acceptLanguage);
  const text = words[language];
  const { motivos, passos } = catalogue[language];
  const face = faceOf(state);
  const data = JSON.stringify({
    base: basePath,
    portal: portalOrigin,
    idioma: language,
    palavras: wordsOfBoth,
    estado: { ...state, face },
  });
  const title = text.titulos[face.title].replace('{app}', () => state.name);
  const moving = ['starting', 'stopping', 'backoff'].includes(state.status);
  const step = state.step === null ? '' : text.etapa.replace('{etapa}', () => passos[state.step?.name ?? ''] ?? '');
  const button = (name: PanelButton): string => {
    const at = face.buttons.indexOf(name);
    return `<button id="${name}" type="button"${at === 0 ? ' class="main"' : ''}${at === -1 ? ' hidden' : ''}>${text[name]}</button>`;
  };
  return `${pageHead(language, title)}
<body class="panel">
<main>
<h1 id="titulo">${escapeHtml(title)}</h1>
<p class="cause"><span id="mensagem">${escapeHtml(motivos[face.cause] ?? face.cause)}</span><span id="saida">${escapeHtml(exitText(face.exit, text))}</span></p>
<p id="passo" class="quiet">${escapeHtml(step)}</p>
<div id="barra" class="bar" aria-hidden="true"${moving ? '' : ' hidden'}></div>
<div class="buttons">
${panelButtons.map(button).join('\n')}
</div>
<p id="aviso" class="quiet" role="status" aria-live="polite">${text.espera}</p>
<section id="registro" aria-labelledby="registro-titulo"${state.log === '' ? ' hidden' : ''}>
<h2 id="registro-titulo">${text.registro}</h2>
<pre id="log" tabindex="0">${escapeHtml(state.log)}</pre>
</section>
<details id="detalhe">
<summary id="detalhe-titulo">${text.detalhe}</summary>
<p lang="en"><code id="motivo">${escapeHtml(state.reason)}</code> <span id="tecnico">${escapeHtml(state.message)}</span> <span id="passo-tecnico">${escapeHtml(state.step?.detail ?? '')}</span></p>
</details>
<p class="quiet">${helpLink(portalOrigin, 'app', language, text.ajuda)}</p>
</main>
<script type="application/json" id="dados">${data.replaceAll('<', '\\u003c')}</script>
<script>${script}</script>
</body>
</html>
`;
}
