/** Changes of the desktop in its own file of the folder: shown with the diff and the plan, and written on another word. Decision: docs/decisions/0345-the-desktop-writes-one-file.md */
import type { DesiredDocument } from '../../schema/desired/documents.ts';
import { openFiles } from '../../schema/desired/load.ts';
import { changedText, diffOf, ownFileName, type OwnChange } from '../../schema/desired/own-changes.ts';
import { serversOf } from '../../schema/desired/packages.ts';
import { SvcError } from '../../schema/errors.ts';
import type { OwnDraft, OwnFileCommands, OwnFileView, PlanAnswer } from '../../schema/gateway.ts';
import { rereadFolder } from '../apply.ts';
import type { Context } from '../context.ts';
import { managedBy, readOwnFile, writeOwnFile } from '../desired/own-file.ts';
import type { PlacedDocument } from '../desired/placed-document.ts';
import { limits } from '../limits.ts';
import { planFolder } from './plan.ts';

/** `refuseWatching` throws where another portal leads. */
export function ownFileGateway(context: Context, refuseWatching: () => void): OwnFileCommands {
  const { dir } = context.options;
  let before: Promise<unknown> = Promise.resolve();
  return {
    ownFile: () => viewOf(context),
    draftOwn: async (change) => {
      refuseWatching();
      return (await draft(context, change)).shown;
    },
    writeOwn: async (change, digest) => {
      refuseWatching();
      const write = async (): Promise<PlanAnswer> => {
        const { shown, text } = await draft(context, change);
        if (shown.digest !== digest) throw new SvcError('FILE_CHANGED', `${shown.file} was changed meanwhile: look at it again`);
        if (shown.elsewhere !== null)
          throw new SvcError(
            'CONFLICT',
            `${change.kind}/${change.name} stands in ${shown.elsewhere.file}:${shown.elsewhere.line}: change it there`,
          );
        const [error] = shown.plan.errors;
        if (error !== undefined) throw new SvcError('DESIRED_INVALID', `the folder would not be valid: ${error}`);
        await writeOwnFile(dir, text, digest);
        await rereadFolder(context, isOf(change));
        context.options.log.info({ act: change.act, document: `${change.kind}/${change.name}` }, 'the desktop wrote its file');
        return shown.plan;
      };
      // In turn: each is made from the file as the one before left it.
      const mine = before.then(write);
      before = mine.catch(() => undefined);
      return await mine;
    },
  };
}

async function viewOf({ options, source }: Context): Promise<OwnFileView> {
  const [managed, { text }] = await Promise.all([managedBy(options.dir), readOwnFile(options.dir)]);
  const [file] = openFiles([{ name: ownFileName, bytes: text }]);
  const placed = [...(file?.sources ?? []), ...(file?.broken ?? [])].toSorted((a, b) => a.place.line - b.place.line);
  const all = [...source.current().documents.values()].map(({ document }) => document);
  const groups = new Set(all.flatMap((document) => (document.kind === 'Person' ? (document.spec.grupos ?? []) : [])));
  return {
    file: ownFileName,
    dir: options.dir,
    managed,
    documents: placed.map(({ document, place }) => Object.assign({}, saidBy(document), { line: place.line })),
    servers: all.flatMap((document) => (document.kind === 'Server' ? [document.metadata.name] : [])).toSorted(),
    groups: [...groups].toSorted().slice(0, limits.ownFileGroupsMax),
  };
}

type Said = Omit<OwnFileView['documents'][number], 'line'>;

/** A document with errors may lack what its kind needs. */
function saidBy({ kind, metadata, spec }: DesiredDocument): Said {
  const said = spec as Readonly<Record<string, unknown>>;
  const text = <Field extends string>(field: Field) =>
    (typeof said[field] === 'string' ? { [field]: said[field] } : {}) as { readonly [F in Field]?: string };
  const texts = (value: unknown): readonly string[] => (Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []);
  const own = { kind, name: metadata.name };
  const grupos = texts(said['grupos']);
  if (kind === 'Person') return { ...own, ...text('nome'), ...text('login'), ...text('server'), ...text('account'), grupos };
  if (kind !== 'Package') return own;
  const servers = said['servers'] === 'all' ? 'all' : serversOf(spec, []);
  return { ...own, ...text('app'), ...text('versao'), ...(servers === 'all' ? { everywhere: true } : { servers }), grupos };
}

interface Draft {
  readonly shown: OwnDraft;
  readonly text: string;
}

/** Rejects DESIRED_MANAGED, and as `changedText`. */
async function draft(context: Context, change: OwnChange): Promise<Draft> {
  const { dir } = context.options;
  const managed = await managedBy(dir);
  if (managed !== null) throw new SvcError('DESIRED_MANAGED', `${managed.place}: ${managedWords[managed.why]}`, { ...managed });
  const { text: before, digest } = await readOwnFile(dir);
  const elsewhere = elsewhereOf(context, change, before);
  if (elsewhere !== null) {
    const plan = { ok: false, changes: [], blocked: [], errors: [], pendingPrune: [] };
    return { text: before, shown: { file: ownFileName, digest, diff: [], plan, elsewhere } };
  }
  const text = changedText(before, change);
  const plan = await planFolder(context, null, isOf(change), { name: ownFileName, text });
  return { text, shown: { file: ownFileName, digest, diff: diffOf(before, text), plan, elsewhere } };
}

const managedWords = {
  checkout: 'this is a checkout of a version control: change the folder in its repository',
  link: 'this is a link: change the folder where it leads, by whatever keeps it',
  readonly: 'the account of the portal may not write there',
} as const;

/** Objects of the changed document: an administrator who saw them named removes them, however few there are. */
const isOf =
  ({ kind, name }: OwnChange) =>
  (key: string): boolean =>
    key === `${kind}/${name}` || key.startsWith(`${kind}/${name}@`);

/** Where the document stands, or for an app another one that puts it on such a server; null: nowhere but in the own file. */
function elsewhereOf({ source }: Context, change: OwnChange, before: string): OwnDraft['elsewhere'] {
  const [file] = openFiles([{ name: ownFileName, bytes: before }]);
  const own = new Set(
    [...(file?.sources ?? []), ...(file?.broken ?? [])].map(({ document }) => `${document.kind}/${document.metadata.name}`),
  );
  const isMeant = isOf(change);
  const isOwn = own.has(`${change.kind}/${change.name}`);
  // Whoever a group makes a person may have a document of their own, which wins.
  const stands = ({ from, place }: PlacedDocument): boolean => (from === undefined ? place.file !== ownFileName : change.act === 'remove');
  const found = [...source.current().documents].find(([key, placed]) =>
    isMeant(key) ? !isOwn && stands(placed) : placed.place.file !== ownFileName && putsSame(change, placed),
  );
  if (found === undefined) return null;
  const { place, from = null } = found[1];
  return { file: place.file, line: place.line, from };
}

function putsSame(change: OwnChange, { document }: PlacedDocument): boolean {
  if (change.act !== 'put' || change.kind !== 'Package' || document.kind !== 'Package') return false;
  const { app, server, instalacao } = document.spec;
  if (app !== change.spec.app || instalacao === 'pessoa') return false;
  return change.spec.servers === 'all' || change.spec.servers.includes(server ?? '');
}
