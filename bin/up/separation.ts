/**
 * Checks what separates the people of a local server: accounts do, where the portal may lend them. Decision:
 * docs/decisions/0151-people-of-a-local-server.md
 */
import os from 'node:os';
import { canAskPeer } from '../../api/site/control-peer.ts';
import type { Entries } from '../../controller/entries.ts';
import type { DoctorCheck } from '../../schema/gateway.ts';
import type { Words } from '../../schema/texts/reasons.ts';
import { isLocal } from './here.ts';

export interface Account {
  readonly name: string;
  readonly isRoot: boolean;
}

const namesMax = 5;

function portalAccount(): Account {
  const uid = process.getuid?.() ?? 0;
  try {
    return { name: os.userInfo().username, isRoot: uid === 0 };
  } catch {
    // A container may run as a uid without a name.
    return { name: `uid ${uid}`, isRoot: uid === 0 };
  }
}

type People = Pick<Entries, 'people' | 'servers'>;

/** Returns a sentence for each local server whose apps may do more than one person should; none when all is well. */
export async function separations(entries: People, account: Account = portalAccount()): Promise<readonly Words[]> {
  const found: Words[] = [];
  for (const { name, host } of entries.servers.values()) {
    if (!isLocal(entries, name)) continue;
    const people = [...entries.people.values()].filter((person) => person.server.name === name);
    // Asks the system once for many accounts.
    await host
      .installed(
        null,
        people.map(({ account }) => account),
      )
      .catch(() => []);
    const asPortal: { readonly name: string; readonly why: Words }[] = [];
    for (const person of people) {
      // Where it can't be said now nothing runs.
      const why = await host.asPortal(person.account).catch(() => null);
      if (why !== null) asPortal.push({ name: person.name, why });
    }
    if (asPortal.length === 0 || (people.length === 1 && !account.isRoot)) continue;
    const may = people.length === 1 ? alone : several(account.isRoot);
    found.push(sentence(name, asPortal, may, account));
  }
  return found;
}

const alone: Words = { pt: 'cada um pode tudo nesta máquina', en: 'each may do everything on this machine' };

function several(isRoot: boolean): Words {
  return {
    pt: `cada um pode ler os dados de todos e ser administrador${isRoot ? ', também desta máquina' : ''}`,
    en: `each may read everybody's data and be administrator${isRoot ? ', of this machine too' : ''}`,
  };
}

function sentence(
  server: string,
  people: readonly { readonly name: string; readonly why: Words }[],
  may: Words,
  { name, isRoot }: Account,
): Words {
  const names = people.map((person) => person.name);
  const whys = (language: keyof Words): string =>
    isRoot ? ` (${[...new Set(people.map(({ why }) => why[language]))].slice(0, namesMax).join('; ')})` : '';
  return {
    pt: `no servidor local ${server} os aplicativos de ${list(names, 'e', 'mais')} rodam como a conta do portal, ${name}: ${may.pt}${whys('pt')}`,
    en: `on the local server ${server} the apps of ${list(names, 'and', 'more')} run as the account of the portal, ${name}: ${may.en}${whys('en')}`,
  };
}

function list(names: readonly string[], and: string, more: string): string {
  const shown = names.length > namesMax ? [...names.slice(0, namesMax), `${names.length - namesMax} ${more}`] : names;
  return shown.length === 1 ? shown.join('') : `${shown.slice(0, -1).join(', ')} ${and} ${shown.at(-1)}`;
}

export async function separationCheck(entries: People): Promise<DoctorCheck> {
  return judgeSeparation(await separations(entries), canAskPeer());
}

const well: Words = {
  pt: 'nos servidores locais cada pessoa tem uma conta, ou há uma só e o portal não roda como root',
  en: 'on local servers each person has an account, or there is one and the portal does not run as root',
};
const noPython: Words = {
  pt: 'sem /usr/bin/python3 não se pergunta quem está no soquete de controle',
  en: 'without /usr/bin/python3 clients of the control socket are not identified',
};
const useSsh: Words = {
  pt: 'um servidor ssh, também nesta máquina, roda os aplicativos de cada pessoa na conta dela (docs/servers.md), e um local também se o portal é root',
  en: 'an ssh server, also of this machine, runs the apps of each person as their account (docs/servers.md), and a local one does if the portal is root',
};

export function judgeSeparation(found: readonly Words[], canAsk: boolean): DoctorCheck {
  const all = canAsk ? found : [...found, noPython];
  if (all.length === 0) return { name: 'separation', ok: true, warning: false, detail: well, fix: null };
  const detail: Words = { pt: all.map(({ pt }) => pt).join('; '), en: all.map(({ en }) => en).join('; ') };
  const fix: Words = found.length > 0 ? useSsh : { pt: 'instale python3', en: 'install python3' };
  return { name: 'separation', ok: false, warning: true, detail, fix };
}
