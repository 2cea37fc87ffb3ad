/** An open room: both channels, the editor, the comments, the people who are here, and the banner with the state of the connection. */
import * as awarenessProtocol from 'y-protocols/awareness';
import * as Y from 'yjs';
import { createCommentsView, type CommentsView } from './comments-view.ts';
import { observeThreads, threadWith, type Thread } from './comments.ts';
import { byId } from './dom.ts';
import { createEditor, type Editor, type Highlight } from './editor.ts';
import { insertImages, type ImageStore } from './images.ts';
import { followPresence } from './presence.ts';
import type { Conexao, Estado, Pessoa, Salas } from './portal.ts';
import { words } from './reasons.ts';
import { say } from './texts.ts';

export interface OpenRoom {
  readonly id: string;
  /** Draws again in the language of now. */
  relabel(): void;
  /** Begins a comment on what is selected. */
  comment(): void;
  addImages(files: readonly File[]): void;
  /** Leads to a comment, also to one that is still on its way. */
  showComment(anchor: string): void;
  readPeople(): Promise<void>;
  close(): Promise<void>;
}

/** Nothing more will be sent or received. */
const isOver = (state: Estado): boolean => state === 'sem-acesso' || state === 'apagada' || state === 'saiu';

function imageStore(salas: Salas, sala: string): ImageStore & { readonly forget: () => void } {
  const urls = new Map<string, Promise<string>>();
  return {
    url: (sha) => {
      const known = urls.get(sha);
      if (known !== undefined) return known;
      const url = salas.anexo(sala, sha).then((bytes) => URL.createObjectURL(bytes));
      urls.set(sha, url);
      // The next drawing asks again.
      url.catch(() => urls.delete(sha));
      return url;
    },
    send: async (file) => (await salas.anexar(sala, file)).sha,
    tell,
    forget: () => {
      for (const url of urls.values()) url.then((address) => URL.revokeObjectURL(address)).catch(() => {});
    },
  };
}

/** A passing notice, read out. */
export function tell(sentence: string): void {
  byId('aviso').textContent = sentence;
  byId('aviso').hidden = sentence === '';
}

function drawState({ estado, motivo, papel }: Pick<Conexao, 'estado' | 'motivo' | 'papel'>): void {
  const strip = byId('estado');
  const role = papel === null || isOver(estado) ? '' : ` · ${say(`papel.${papel}`)}`;
  const sentence = say(`estado.${motivo ?? estado}`) + role;
  strip.dataset['estado'] = estado;
  // Set only when it differs: a screen reader reads every change.
  if (byId('estado-texto').textContent !== sentence) byId('estado-texto').textContent = sentence;
}

interface Parts {
  readonly salas: Salas;
  readonly id: string;
  readonly me: Pessoa;
}

/** Enables the acts that the role, and a room that still exists, allow. */
function drawConnection(connection: Conexao, remarks: Conexao, editor: Editor): void {
  drawState(connection);
  const over = isOver(connection.estado);
  editor.setWritable(connection.podeEscrever && !over);
  byId<HTMLButtonElement>('imagem').disabled = !connection.podeEscrever || over;
  byId<HTMLButtonElement>('comentar').disabled = !remarks.podeEscrever || isOver(remarks.estado);
  byId('exportar').hidden = over;
  byId('historico').hidden = !connection.podeEscrever || over;
  byId('compartilhar').hidden = over;
}

const highlightsOf = (threads: readonly Thread[], current: string | null): readonly Highlight[] =>
  threads.flatMap(({ id, from, to, resolvido }) =>
    from === null || to === null || resolvido ? [] : [{ id, from, to, current: id === current }],
  );

/** At most once a frame: many changes come in one go. */
function perFrame(draw: () => void): { (): void; stop(): void } {
  let asked = 0;
  const ask = (): void => {
    cancelAnimationFrame(asked);
    asked = requestAnimationFrame(draw);
  };
  return Object.assign(ask, { stop: () => cancelAnimationFrame(asked) });
}

/** Leads to a comment; one that is still on its way is waited for. A passage is only found once the text is there, so both channels count. */
function createGuide(view: CommentsView, text: Y.Text, editor: Editor) {
  let wanted: string | null = null;
  const showNow = (anchor: string): boolean => {
    if (!view.show(anchor, true)) return false;
    Object.assign(document.body.dataset, { comentarios: 'sim', vista: 'comentarios' });
    const thread = threadWith(view.threads, anchor);
    if (thread?.from != null && thread.to !== null) editor.goTo(thread.from, thread.to);
    return true;
  };
  return {
    lead: (anchor: string): void => void (wanted = anchor),
    look: (): void => {
      if (wanted !== null && text.length > 0 && showNow(wanted)) wanted = null;
    },
    /** Everything came, and it is not among it. */
    giveUp: (): void => {
      if (wanted !== null) tell(say('comentarioSumiu'));
      wanted = null;
    },
  };
}

/** People in the room, as they were last read. */
function peopleOf(salas: Salas, connection: Conexao, id: string) {
  let people: readonly Pessoa[] = [];
  const read = async (): Promise<void> => {
    try {
      people = (await salas.ler(id)).pessoas;
    } catch (error) {
      if (!isOver(connection.estado) && connection.estado !== 'fora') tell(say('falhou', { erro: words(error) }));
    }
  };
  void read();
  return { now: () => people, read };
}

export function openRoom({ salas, id, me }: Parts): OpenRoom {
  const [text, comments] = [new Y.Doc(), new Y.Doc()];
  const ytext = text.getText('texto');
  const connection = salas.entrar(id, { Y, awarenessProtocol, doc: text });
  const remarks = salas.entrar<Y.Doc>(id, { Y, doc: comments, canal: 'comentarios' });
  const images = imageStore(salas, id);
  const people = peopleOf(salas, connection, id);

  const editor = createEditor({
    parent: byId('texto'),
    text: ytext,
    presence: connection.presenca ?? null,
    images,
    clicked: (thread) => void (view.show(thread) && (document.body.dataset['comentarios'] = 'sim')),
  });
  const view = createCommentsView({
    sala: id,
    comments,
    text: ytext,
    me,
    people: people.now,
    writable: () => remarks.podeEscrever && !isOver(remarks.estado),
    changed: (threads, current) => editor.highlight(highlightsOf(threads, current)),
    goTo: (thread) => goToPassage(editor, thread),
    tell,
  });
  const presence = connection.presenca === undefined ? null : followPresence(connection.presenca);
  const guide = createGuide(view, ytext, editor);
  const redraw = perFrame(() => {
    drawConnection(connection, remarks, editor);
    view.draw();
    guide.look();
  });
  const ends = [connection.aoMudar(redraw), remarks.aoMudar(redraw)];
  observeThreads(comments, redraw);
  ytext.observe(redraw);
  drawConnection(connection, remarks, editor);
  view.draw();
  const settled = async (): Promise<void> => {
    await Promise.all([connection.sincronizado, remarks.sincronizado]);
    view.draw();
    guide.look();
    guide.giveUp();
  };
  // Removed or deleted: the banner says so.
  settled().catch(() => {});

  return {
    id,
    readPeople: people.read,
    relabel: () => {
      editor.relabel();
      presence?.draw();
      redraw();
    },
    comment: () => beginComment(editor, view),
    addImages: (files) => void insertImages(editor.view, files, images),
    showComment: (anchor) => {
      guide.lead(anchor);
      if (connection.estado === 'sincronizado' && remarks.estado === 'sincronizado') void settled().catch(() => {});
      else guide.look();
    },
    close: async () => {
      redraw.stop();
      for (const end of [...ends, () => presence?.end(), editor.destroy, images.forget]) end();
      await Promise.allSettled([connection.sair(), remarks.sair()]);
      text.destroy();
      comments.destroy();
    },
  };
}

function goToPassage(editor: Editor, { from, to }: Thread): void {
  if (from === null || to === null) return;
  document.body.dataset['vista'] = 'texto';
  editor.goTo(from, to);
  editor.view.focus();
}

function beginComment(editor: Editor, view: CommentsView): void {
  const { from, to } = editor.view.state.selection.main;
  if (from === to) {
    tell(say('selecione'));
    editor.view.focus();
    return;
  }
  tell('');
  Object.assign(document.body.dataset, { comentarios: 'sim', vista: 'comentarios' });
  view.begin({ from, to });
}
