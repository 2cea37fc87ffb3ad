/** The checks of `svc test-app`, and their verdicts. */
import type { Words } from '../../schema/texts/reasons.ts';

/** In the order in which they are reported, each with its name for people. */
export const checks = {
  manifest: { pt: 'manifesto válido', en: 'manifest valid' },
  files: { pt: 'arquivos prometidos', en: 'promised files' },
  'install-command': { pt: 'installCommand duas vezes', en: 'installCommand twice' },
  start: { pt: 'começa e atende', en: 'starts and answers' },
  socket: { pt: 'socket só da conta', en: 'socket of the account alone' },
  ports: { pt: 'nenhuma porta', en: 'no port' },
  gate: { pt: 'portão', en: 'gate' },
  health: { pt: 'healthcheckPath', en: 'healthcheckPath' },
  saude: { pt: '/saude', en: '/saude' },
  'close-tabs': { pt: 'close-tabs', en: 'close-tabs' },
  capabilities: { pt: 'capacidades', en: 'capabilities' },
  'page-root': { pt: 'página em /', en: 'page at /' },
  'page-path': { pt: 'página em /proxy/app/<id>/', en: 'page at /proxy/app/<id>/' },
  sdk: { pt: '_sdk é do portal', en: "_sdk is the portal's" },
  'second-instance': { pt: 'segunda instância', en: 'second instance' },
  orphan: { pt: 'socket órfão', en: 'orphan socket' },
  'sigterm-busy': { pt: 'SIGTERM durante um pedido', en: 'SIGTERM during a request' },
  nowhere: { pt: 'sem onde escutar', en: 'nowhere to listen' },
  bench: { pt: 'bancada --tcp', en: 'bench --tcp' },
  'gate-open': { pt: 'sem token, tudo passa', en: 'without a token all pass' },
  sigterm: { pt: 'SIGTERM', en: 'SIGTERM' },
  package: { pt: 'pacote intacto', en: 'package left as it was' },
} as const satisfies Readonly<Record<string, Words>>;

export type CheckId = keyof typeof checks;

export type Finding =
  | { readonly verdict: 'pass' | 'notApplicable' | 'notJudged'; readonly detail: Words }
  /** `mend`: what to write or do. */
  | { readonly verdict: 'fail'; readonly detail: Words; readonly mend: Words };

export type Findings = Readonly<Partial<Record<CheckId, Finding>>>;

export const pass = (pt = '', en = pt): Finding => ({ verdict: 'pass', detail: { pt, en } });
export const notApplicable = (pt: string, en: string): Finding => ({ verdict: 'notApplicable', detail: { pt, en } });
export const notJudged = (pt: string, en: string): Finding => ({ verdict: 'notJudged', detail: { pt, en } });
export const fail = (detail: Words, mend: Words): Finding => ({ verdict: 'fail', detail, mend });
