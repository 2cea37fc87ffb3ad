/**
 * A single call of an app to another, up to the provider's answer: asks the person where the portal wants their consent or a choice, and
 * asks the portal again. Decisions: docs/decisions/0200-capability-calls.md, 0201-consent.md
 */
import type { ConsentAnswer, ConsentBody, ConsentView } from '../../schema/wire/capabilities.ts';
import { CallRefused, type PortalCall } from '../session/capabilities-api.ts';
import type { Decision, Question, Questions } from './questions.ts';

export interface CallDeps {
  readonly portal: (call: PortalCall, signal: AbortSignal) => Promise<Response>;
  readonly consents: () => Promise<readonly ConsentView[]>;
  readonly consent: (body: ConsentBody) => Promise<ConsentAnswer>;
  /** Makes an app the person's default for a capability. */
  readonly prefer: (capacidade: string, app: string) => Promise<void>;
  readonly questions: Questions;
  /** Called while the portal is asked; what comes back is called when it answered. */
  readonly waiting: (call: PortalCall) => () => void;
}

/** A choice, then a consent for the one that was chosen, then the call; and once more where the person changed their mind meanwhile. */
const roundsMax = 4;

/** Resolves with the provider's answer, or with 404 where no app offers the capability. Rejects CallRefused, also where the person said no. */
export async function callOtherApp(deps: CallDeps, asked: PortalCall, signal: AbortSignal): Promise<Response> {
  let call = asked;
  for (let round = 1; ; round += 1) {
    const answered = deps.waiting(call);
    try {
      return await deps.portal(call, signal);
    } catch (error) {
      answered();
      if (!(error instanceof CallRefused)) throw error;
      if (error.code === 'CAPABILITY_UNKNOWN') return noProvider(error, call);
      if (round === roundsMax) throw error;
      call = await allowed(deps, call, error, signal);
    } finally {
      answered();
    }
  }
}

/** The portal's own refusal as an answer. Source: rules 2.1 `usa`, 7: `pedir` answers 404 naming the capability. */
function noProvider({ status, code, message }: CallRefused, { capacidade }: PortalCall): Response {
  return Response.json({ status, code, error: message, capacidade }, { status, headers: { 'content-type': 'application/problem+json' } });
}

/** The call as it may be made now. Rejects the refusal where nothing can be asked, and where the person does not say yes. */
async function allowed(deps: CallDeps, call: PortalCall, refused: CallRefused, signal: AbortSignal): Promise<PortalCall> {
  const { de, capacidade } = call;
  const isChoice = refused.code === 'PROVIDER_CHOICE';
  if (refused.ofertas.length === 0 || (!isChoice && refused.code !== 'CONSENT_NEEDED')) throw refused;
  const ofertas = isChoice ? await notRefused(deps, call, refused) : refused.ofertas;
  const [only, second] = ofertas;
  if (only === undefined) throw refusal('CONSENT_REFUSED', call);
  if (isChoice && second === undefined) return { ...call, para: only.app };
  const decision = await deps.questions.ask({ de, capacidade, ofertas }, signal);
  if (decision.kind !== 'sim') throw refusal(decision.kind === 'nao' ? 'CONSENT_REFUSED' : 'CONSENT_NEEDED', call);
  const { para, duracao } = decision;
  // Each of the calls that waited for the answer needs a pass of its own.
  const uso = duracao === 'uma-vez' ? (await deps.consent({ de, para, capacidade, resposta: 'sim', duracao })).uso : null;
  return { ...call, para, uso };
}

/** The offers without those that the person refused to this app. */
async function notRefused(deps: CallDeps, { de, capacidade }: PortalCall, { ofertas }: CallRefused): Promise<CallRefused['ofertas']> {
  const refusals = (await deps.consents()).filter((row) => row.de === de && row.capacidade === capacidade && row.resposta === 'nao');
  return ofertas.filter(({ app }) => !refusals.some(({ para }) => para === app));
}

const said = {
  CONSENT_REFUSED: 'the person does not let',
  CONSENT_NEEDED: 'the person has not said yet whether to let',
} as const;
const refusal = (code: keyof typeof said, { de, capacidade }: PortalCall): CallRefused =>
  new CallRefused(403, { code, detail: `${said[code]} ${de} use ${capacidade} of another app` });

/**
 * An answer that the person gave in another page, or in Settings, closes the same question here. A choice among several providers stays
 * open: one of them may have been allowed long ago.
 */
export async function heedConsents({ consents, questions }: Pick<CallDeps, 'consents' | 'questions'>): Promise<void> {
  if (questions.open().length === 0) return;
  const rows = await consents();
  for (const question of questions.open()) {
    const { de, capacidade, ofertas } = question;
    const [only, second] = ofertas;
    if (only === undefined || second !== undefined) continue;
    const para = only.app;
    const said = rows.find((row) => row.de === de && row.para === para && row.capacidade === capacidade)?.resposta;
    if (said === 'sim') questions.answer(question, { kind: 'sim', para, duracao: 'sempre' });
    else if (said === 'nao') questions.answer(question, { kind: 'nao' });
  }
}

/** Saves the person's answer first, so that the waiting calls find it. Rejects with the portal's error; the question then stays open. */
export async function decide(deps: CallDeps, question: Question, decision: Decision): Promise<void> {
  const { de, capacidade, ofertas } = question;
  if (decision.kind === 'nao') {
    for (const { app } of ofertas) await deps.consent({ de, para: app, capacidade, resposta: 'nao', duracao: 'sempre' });
  }
  if (decision.kind === 'sim' && decision.duracao === 'sempre') {
    await deps.consent({ de, para: decision.para, capacidade, resposta: 'sim', duracao: 'sempre' });
    if (ofertas.length > 1) await deps.prefer(capacidade, decision.para);
  }
  deps.questions.answer(question, decision);
}
