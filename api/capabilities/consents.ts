/** Answers of a person to the question whether an app may use a capability of another. Decision: docs/decisions/0201-consent.md */
import type { Bus } from '../../store/bus.ts';
import type { Store } from '../../store/store.ts';
import type { Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import type { AppsView } from '../../schema/gateway.ts';
import { nameOf as shownName } from '../../schema/manifest/shown-text.ts';
import type { ConsentAnswer, ConsentBody, ConsentsAnswer, ConsentView } from '../../schema/wire/capabilities.ts';
import type { Passes } from '../auth/passes.ts';
import { createRate } from '../http/rate.ts';
import { newSecret, shortHash } from '../auth/secrets.ts';
import type { Asked, Calls } from './calls.ts';
import { limits } from './limits.ts';
import { declares, offerOf } from './offers.ts';

export interface Consents {
  list(usuario: string): Promise<ConsentsAnswer>;
  /** Rejects RATE_LIMITED; CAPABILITY_UNDECLARED and CAPABILITY_UNKNOWN for a question that no app could ask. */
  answer(usuario: string, body: ConsentBody): Promise<ConsentAnswer>;
  /** Ends the calls that it let in; RATE_LIMITED; NOT_FOUND when the person has none with this id. */
  revoke(usuario: string, id: string): Promise<void>;
  /** Rejects CONSENT_NEEDED or CONSENT_REFUSED. `pass`: of "yes, this once". `asker`: a page can ask the person at once, a backend can't. */
  require(asked: Asked, pass: string | null, asker: 'page' | 'backend'): Promise<void>;
}

export interface ConsentDeps {
  readonly store: Pick<Store, 'putConsent' | 'noteConsentAsked' | 'consents' | 'consent' | 'deleteConsent'>;
  readonly passes: Pick<Passes, 'forCall' | 'takeForCall'>;
  readonly apps: Pick<AppsView, 'manifest'>;
  readonly calls: Pick<Calls, 'endWhere'>;
  readonly bus: Pick<Bus, 'publish'>;
  readonly clock: Clock;
}

const questionOf = ({ de, para, capacidade }: Asked): string => `${de} ${para} ${capacidade}`;
const newId = (): string => shortHash(newSecret());

export function createConsents({ store, passes, apps, calls, bus, clock }: ConsentDeps): Consents {
  const count = createRate(clock, { burst: limits.consentChangesBurst, refillMs: limits.consentChangeRefillMs });
  const changed = (usuario: string): void => bus.publish(usuario, { type: 'consentimentos' });
  const endCalls = (asked: Asked): void => {
    const error = new SvcError('CONSENT_REFUSED', `the person no longer lets ${asked.de} use ${asked.capacidade} of ${asked.para}`);
    calls.endWhere(asked.usuario, (call) => questionOf(call) === questionOf(asked), error);
  };
  const nameOf = (usuario: string, app: string): string | null => {
    const manifest = apps.manifest(usuario, app);
    return manifest === null ? null : shownName(manifest, app);
  };
  const list = async (usuario: string): Promise<ConsentsAnswer> => ({
    consentimentos: (await store.consents(usuario)).map(({ id, de, para, capacidade, resposta, atMs }): ConsentView => {
      const rotulo = offerOf(apps.manifest(usuario, para), capacidade)?.rotulo ?? null;
      return { id, de, deNome: nameOf(usuario, de), para, paraNome: nameOf(usuario, para), capacidade, rotulo, resposta, em: atMs };
    }),
  });
  return {
    list,
    answer: async (usuario, { de, para, capacidade, resposta, duracao }) => {
      count(usuario);
      const asked = { usuario, de, para, capacidade };
      refuseUnasked(apps, asked);
      if (duracao === 'uma-vez') {
        if (resposta === 'nao') throw new SvcError('BAD_REQUEST', 'a no for this once is not kept: nothing has to be sent');
        return { id: null, uso: await passes.forCall(usuario, questionOf(asked)) };
      }
      const id = await store.putConsent({ ...asked, id: newId(), resposta, atMs: clock.nowMs() });
      if (resposta === 'nao') endCalls(asked);
      changed(usuario);
      return { id, uso: null };
    },
    revoke: async (usuario, id) => {
      count(usuario);
      const row = await store.deleteConsent(usuario, id);
      if (row === null) throw new SvcError('NOT_FOUND', 'there is no such consent: it was taken back already, or one of the apps is gone');
      endCalls(row);
      changed(usuario);
    },
    require: async (asked, pass, asker) => {
      const said = await store.consent(asked);
      if (said === 'sim') return;
      const { usuario, de, para, capacidade } = asked;
      const offer = offerOf(apps.manifest(usuario, para), capacidade);
      const nome = nameOf(usuario, para) ?? para;
      const details = { de, capacidade, oferta: { app: para, nome, rotulo: offer?.rotulo ?? nome } };
      if (said === 'nao') throw new SvcError('CONSENT_REFUSED', `the person does not let ${de} use ${capacidade} of ${para}`, details);
      if (pass !== null && (await passes.takeForCall(pass, usuario, questionOf(asked)))) return;
      if (asker === 'backend' && (await store.noteConsentAsked({ ...asked, id: newId(), atMs: clock.nowMs() }))) changed(usuario);
      throw new SvcError('CONSENT_NEEDED', `the person has not said yet whether ${de} may use ${capacidade} of ${para}`, details);
    },
  };
}

/** Only what an app can ask is answered: both are there, the one declares it, the other offers it. */
function refuseUnasked(apps: ConsentDeps['apps'], { usuario, de, para, capacidade }: Asked): void {
  if (!declares(apps.manifest(usuario, de), capacidade)) {
    throw new SvcError('CAPABILITY_UNDECLARED', `${de} is no app of this person that declares ${capacidade} in "requires" or "usa"`);
  }
  if (de === para || offerOf(apps.manifest(usuario, para), capacidade) === null) {
    throw new SvcError('CAPABILITY_UNKNOWN', `${para} is no app of this person that offers ${capacidade}`, { capacidade });
  }
}
