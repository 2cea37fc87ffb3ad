/** On a terminal what no option says is asked, once: a site that is there already is not asked about again. */
import type { TextLanguage, Words } from '../../schema/texts/reasons.ts';
import type { Questions } from '../create/questions.ts';
import { addressOf, type SetupOptions } from './answers.ts';
import { SvcError } from '../../schema/errors.ts';
import { accountHere, appIn, offeredIn, refuseMissingGroup } from './documents.ts';
import { frontKinds, type FrontKind } from './front.ts';
import type { Site } from './site.ts';

const words = {
  url: {
    pt: 'Endereço do site para as pessoas, por exemplo https://svc.exemplo.org',
    en: 'Address of the site for people, for example https://svc.example.org',
  },
  front: { pt: 'Quem fala HTTPS na frente do portal', en: 'What speaks HTTPS before the portal' },
  caddy: { pt: 'Caddy: obtém os certificados sozinho', en: 'Caddy: gets the certificates by itself' },
  nginx: { pt: 'nginx: com um certificado que você tem', en: 'nginx: with a certificate that you have' },
  none: { pt: 'nada, ou algo que você mesmo configura', en: 'nothing, or something that you set up yourself' },
  certificate: {
    pt: 'Arquivo do certificado, para o nome e tudo abaixo dele',
    en: 'File of the certificate, for the name and all below it',
  },
  key: { pt: 'Arquivo da chave', en: 'File of its key' },
  here: { pt: 'Os aplicativos rodam nesta máquina?', en: 'Do apps run on this machine?' },
  yes: { pt: 'sim, e as contas são as desta máquina', en: 'yes, and accounts are those of this machine' },
  no: { pt: 'não, em outros servidores', en: 'no, on other servers' },
  group: { pt: 'Grupo de contas que pode entrar (vazio: nenhum)', en: 'Group of accounts that may come in (empty: none)' },
  admin: { pt: 'Conta de quem administra (vazio: só por link)', en: 'Account of the administrator (empty: by a link only)' },
  app: { pt: 'Primeiros aplicativos', en: 'First apps' },
} as const satisfies Readonly<Record<string, Words>>;

export async function askForRest(
  given: SetupOptions,
  {
    site,
    questions,
    language,
    programs,
  }: { readonly site: Site; readonly questions: Questions; readonly language: TextLanguage; readonly programs: string },
): Promise<SetupOptions> {
  if (site.names('Portal').length > 0) return given;
  const text = async (what: Words, otherwise = ''): Promise<string> => await questions.text(what[language], otherwise);
  /** Asks again until the answer is one that can be. */
  const judged = async <Answer>(ask: () => Promise<Answer>, judge: (answer: Answer) => unknown): Promise<Answer> => {
    for (;;) {
      const answer = await ask();
      try {
        judge(answer);
        return answer;
      } catch (error) {
        if (!(error instanceof SvcError)) throw error;
        questions.say(error.message);
      }
    }
  };
  const url =
    given.url ??
    (await judged(
      () => text(words.url),
      (answer) => answer === '' || addressOf(answer),
    ));
  const front: FrontKind =
    given.front ??
    (await questions.choice(
      words.front[language],
      frontKinds.map((kind) => [kind, words[kind][language]] as const),
    ));
  const needsFiles = front === 'nginx' && given.certificate === undefined;
  const certificate = needsFiles ? await text(words.certificate) : given.certificate;
  const key = needsFiles ? await text(words.key) : given.key;
  const isAsked = given.here === undefined && given.server === undefined;
  const choices = [
    ['yes', words.yes[language]],
    ['no', words.no[language]],
  ] as const;
  const here = isAsked ? (await questions.choice(words.here[language], choices)) === 'yes' : given.here;
  const answers = {
    ...(url === '' ? {} : { url }),
    front,
    ...(certificate === undefined ? {} : { certificate }),
    ...(key === undefined ? {} : { key }),
    ...(here === undefined ? {} : { here }),
  };
  const listed = async (what: Words, judge: (each: string) => unknown, otherwise = ''): Promise<readonly string[]> =>
    await judged(
      async () => (await text(what, otherwise)).split(/[\s,]+/).filter((each) => each !== ''),
      (all) => all.map(judge),
    );
  const askForApps = async (): Promise<readonly string[]> => {
    const offered = offeredIn(programs);
    const width = Math.max(...offered.map(({ id }) => id.length));
    for (const { id, description } of offered) questions.say(`  ${id.padEnd(width)}  ${description}`);
    return await listed(words.app, (id) => appIn(programs, id), 'notas caderno');
  };
  // Until there is a server nobody and nothing can be on one.
  const hasServer = here === true || (given.server ?? []).length > 0;
  if (!hasServer) return { ...given, ...answers };
  const group = given.group ?? (await listed(words.group, (name) => here === true && refuseMissingGroup(name)));
  const admin = given.admin ?? (await listed(words.admin, (name) => here === true && accountHere(name)));
  const app = given.app ?? (await askForApps());
  return { ...given, ...answers, group, admin, app };
}
