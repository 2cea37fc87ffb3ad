/** Handlers of the pickers and of `disco.*`. Decision: docs/decisions/0228-files-for-pages.md */
import type { fileVerbs, PickedFile, PickedPlace } from '../../schema/bridge/file-verbs.ts';
import { limits } from '../../schema/bridge/limits.ts';
import type { FileItem } from '../../schema/wire/files.ts';
import type { BridgeHandlers } from '../bridge/host.ts';
import type { PickRequest } from '../files/svc-file-picker.ts';
import { parentOf } from '../opening/file-path.ts';
import { listed, text } from '../i18n/i18n.ts';
import { lastPress } from '../questions/last-press.ts';
import { readBlob, readFacts, wholePath, writeBlob } from '../session/content-api.ts';
import { listFolder } from '../session/files-api.ts';
import { part } from '../session/part.ts';
import { folderChanged } from '../files/watching.ts';
import type { Desk } from './desk.ts';
import { refused } from './refused.ts';

type Asked = Omit<PickRequest, 'place'>;

const listMax = 5_000;

const picked = ({ caminho, nome, tipo, bytes, modificadoMs }: FileItem): PickedFile => ({ caminho, nome, tipo, bytes, modificadoMs });

export function fileHandlers(desk: () => Desk): Pick<BridgeHandlers, keyof typeof fileVerbs> {
  const reach = async (window: string, caminho: string): Promise<string> => {
    const app = desk().windows.find(window)?.app ?? '';
    if (!desk().grants.covers(app, caminho))
      throw refused('sem-permissao', `a pessoa não deu ${caminho} a este app: peça com svc.arquivos`);
    return await wholePath(caminho);
  };
  const pick = createPicking(desk);
  const one = async (window: string, request: Asked, gone: AbortSignal): Promise<PickedPlace | null> => {
    const [first] = (await pick(window, request, gone)) ?? [];
    return first === undefined ? null : { caminho: first.caminho, nome: first.nome };
  };
  return {
    'arquivos.abrir': async (id, { extensoes = [], varios = false }, gone) =>
      (await pick(id, { kind: 'open', extensions: extensoes, several: varios, name: '' }, gone))?.map(picked) ?? null,
    'arquivos.salvar': async (id, { extensoes = [], nome = '' }, gone) =>
      await one(id, { kind: 'save', extensions: extensoes, several: false, name: nome }, gone),
    'arquivos.pasta': async (id, _, gone) => await one(id, { kind: 'folder', extensions: [], several: false, name: '' }, gone),
    'disco.ler': async (id, { caminho, desde = 0, ate }, signal) => {
      const path = await reach(id, caminho);
      if (ate !== undefined && ate < desde) throw refused('argumentos-invalidos', 'disco.ler: "ate" vem antes de "desde"');
      const part = desde === 0 && ate === undefined ? null : { first: desde, last: ate ?? Number.MAX_SAFE_INTEGER };
      const read = await readBlob(path, part, limits.diskBytesMax, signal);
      if (read === null)
        throw refused('grande-demais', `disco.ler: no máximo ${limits.diskBytesMax} bytes de uma vez: peça uma parte com "desde" e "ate"`);
      return { conteudo: read.blob, versao: read.etag, bytes: read.bytes };
    },
    'disco.escrever': async (id, { caminho, conteudo, versao, novo = false }, signal) => {
      const path = await reach(id, caminho);
      const { item, etag } = await writeBlob(path, conteudo, novo ? 'new' : versao === undefined ? null : { matches: versao }, signal);
      folderChanged(parentOf(path));
      return { ...picked(item), versao: etag };
    },
    'disco.estado': async (id, { caminho }) => picked(await readFacts(await reach(id, caminho))),
    'disco.listar': async (id, { caminho, desde = 0, limite = listMax, ocultos = false }) => {
      const by = { ordem: 'nome', inversa: false, ocultos } as const;
      const { total, itens } = await listFolder(await reach(id, caminho), by, { desde, limite: Math.min(limite, listMax) });
      return { total, itens: itens.map(picked) };
    },
  };
}

/**
 * Shows a single picker at a time, for the window in front, while a press of the person counts, and not over the question of consent. The
 * app may use the chosen files from then on.
 */
function createPicking(desk: () => Desk) {
  let isOpen = false;
  const mayCome = (window: string): boolean => desk().windows.top()?.id === window && desk().appCalls.question.get() === null;
  return async (window: string, request: Asked, gone: AbortSignal): Promise<readonly FileItem[] | null> => {
    const { windows, grants } = desk();
    const app = windows.find(window)?.app ?? '';
    if (!mayCome(window) || !navigator.userActivation.isActive)
      throw refused('sem-gesto', 'svc.arquivos: só depois de um gesto da pessoa, na janela da frente');
    if (isOpen) throw refused('pedidos-demais', 'svc.arquivos: já há uma escolha aberta');
    isOpen = true;
    try {
      const { pickFiles } = await part('svc-file-picker', () => import('../files/svc-file-picker.ts'));
      if (!mayCome(window)) throw refused('sem-gesto', 'svc.arquivos: a janela não está mais na frente');
      const who = windows.find(window)!.options.title;
      const items = await pickFiles(desk(), who, { ...request, place: grants.lastPlace(app) }, gone);
      if (items !== null && !(await isSure(desk(), app, who, request.kind, items, gone))) return null;
      for (const { caminho } of items ?? []) grants.allow(app, caminho, request.kind === 'folder');
      return items;
    } finally {
      isOpen = false;
    }
  };
}

/** An app that was given nothing yet in this tab, or is given a whole folder: a page may have the person press where the picker comes up. */
async function isSure(
  { grants }: Desk,
  app: string,
  who: string,
  kind: Asked['kind'],
  items: readonly FileItem[],
  gone: AbortSignal,
): Promise<boolean> {
  if (kind !== 'folder' && grants.lastPlace(app) !== null) return true;
  const { askSure } = await part('svc-sure', () => import('../questions/svc-sure.ts'));
  const nome = listed(items.map((item) => item.nome));
  return await askSure(text(kind === 'folder' ? 'picker.sureFolder' : 'picker.sure', { app: who, nome }), lastPress(), gone);
}
