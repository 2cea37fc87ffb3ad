/** The list of comments beside the text: threads, replies, resolve; and the form for a new one. */
import type * as Y from 'yjs';
import { addThread, newAnchor, passageOf, readThreads, reply, setResolved, threadWith } from './comments.ts';
import type { Message, Passage, Thread } from './comments.ts';
import { byId, el } from './dom.ts';
import { mentionField, type MentionField } from './mention-field.ts';
import { svc, type Pessoa } from './portal.ts';
import { words } from './reasons.ts';
import { languageTag, say } from './texts.ts';

export interface CommentsRoom {
  readonly sala: string;
  readonly comments: Y.Doc;
  readonly text: Y.Text;
  readonly me: Pessoa;
  readonly people: () => readonly Pessoa[];
  writable(): boolean;
  /** The threads, or which of them is the current one, changed. */
  changed(threads: readonly Thread[], current: string | null): void;
  goTo(thread: Thread): void;
  tell(words: string): void;
}

export interface CommentsView {
  readonly threads: readonly Thread[];
  draw(): void;
  /** Opens the form for a comment on this passage. */
  begin(range: { readonly from: number; readonly to: number }): void;
  /** By the id of a thread or of a message; false when it is not there (yet). */
  show(anchor: string, focus?: boolean): boolean;
}

/** Mentions go to who is mentioned; a reply also tells who wrote in the thread before. The portal tells only people in the room. */
async function notify(room: CommentsRoom, sent: Message, mentioned: readonly string[], thread: Thread | null): Promise<void> {
  const others = (usuarios: readonly string[]): readonly string[] =>
    [...new Set(usuarios)].filter((usuario) => usuario !== room.me.usuario);
  const inRoom = new Set(room.people().map(({ usuario }) => usuario));
  const writers = others((thread?.messages ?? []).map(({ usuario }) => usuario)).filter(
    (one) => inRoom.has(one) && !mentioned.includes(one),
  );
  try {
    if (others(mentioned).length > 0) await svc?.salas.avisar(room.sala, 'mencao', others(mentioned), sent.id);
    if (writers.length > 0) await svc?.salas.avisar(room.sala, 'comentario', writers, sent.id);
  } catch (error) {
    room.tell(say('avisoFalhou', { erro: words(error) }));
  }
}

function form(field: MentionField, label: string, done: () => void, dropped: (() => void) | null): HTMLElement {
  const cancel =
    dropped === null ? null : el('button', { type: 'button', className: 'svc-botao', on: { click: dropped } }, say('cancelar'));
  const send = el('button', { type: 'submit', className: 'svc-botao', dataset: { papel: 'principal' } }, label);
  const submit = (event: Event): void => {
    event.preventDefault();
    done();
  };
  return el('form', { className: 'escrever', on: { submit } }, field.node, el('div', { className: 'svc-barra' }, send, cancel));
}

function drawMessage({ nome, em, texto }: Message): HTMLElement {
  const at = new Date(em);
  const when = Number.isNaN(at.getTime()) ? '' : at.toLocaleString(languageTag(), { dateStyle: 'short', timeStyle: 'short' });
  const author = el('p', { className: 'autor' }, el('strong', {}, nome), ' ', el('small', {}, when));
  return el('div', { className: 'mensagem' }, author, el('p', {}, texto));
}

interface ThreadParts {
  readonly current: boolean;
  readonly writable: boolean;
  readonly field: MentionField;
  readonly open: () => void;
  readonly answer: () => void;
  readonly resolve: () => void;
}

function drawThread(thread: Thread, { current, writable, field, open, answer, resolve }: ThreadParts): HTMLElement {
  const lost = `${thread.trecho} (${say('trechoApagado')})`;
  const label = thread.from === null ? lost : say('irAoTrecho', { trecho: thread.trecho });
  const aria = { label, current: String(current) };
  const resolving = say(thread.resolvido ? 'reabrir' : 'resolver');
  return el(
    'li',
    { className: current ? 'conversa atual' : 'conversa', tabIndex: -1, dataset: { conversa: thread.id } },
    el('button', { type: 'button', className: 'trecho', aria, on: { click: open } }, thread.from === null ? lost : thread.trecho),
    ...thread.messages.map(drawMessage),
    writable && current && !thread.resolvido ? form(field, say('responder'), answer, null) : null,
    writable ? el('button', { type: 'button', className: 'svc-botao leve', on: { click: resolve } }, resolving) : null,
  );
}

function focusThread(id: string): void {
  const node = byId('comentarios').querySelector<HTMLElement>(`[data-conversa="${CSS.escape(id)}"]`);
  node?.scrollIntoView({ block: 'nearest' });
  node?.focus({ preventScroll: true });
}

/** Draws anew, and keeps the focus when the same field, or the button of the same thread, is there again. */
function keepingFocus(area: HTMLElement, draw: () => void): void {
  const focused = document.activeElement instanceof HTMLElement && area.contains(document.activeElement) ? document.activeElement : null;
  const thread = focused?.closest<HTMLElement>('[data-conversa]')?.dataset['conversa'];
  draw();
  if (focused === null || document.activeElement === focused) return;
  if (focused.isConnected) focused.focus();
  else if (thread !== undefined) focusThread(thread);
}

/** Null: nothing was written. */
function messageIn(field: MentionField, { usuario, nome }: Pessoa): Message | null {
  const texto = field.input.value.trim();
  return texto === '' ? null : { id: newAnchor(), usuario, nome, em: Date.now(), texto };
}

export function createCommentsView(room: CommentsRoom): CommentsView {
  let threads: readonly Thread[] = [];
  let current: string | null = null;
  let draft: { readonly passage: Passage; readonly field: MentionField } | null = null;
  /** A field per thread, so that half a reply outlives what others write meanwhile. */
  const replies = new Map<string, MentionField>();

  const send = (): void => {
    const sent = draft === null ? null : messageIn(draft.field, room.me);
    if (draft === null || sent === null) return;
    const { passage, field } = draft;
    draft = null;
    current = sent.id;
    addThread(room.comments, passage, sent);
    view.draw();
    focusThread(sent.id);
    void notify(room, sent, field.mentioned(), null);
  };
  const answer = (thread: Thread, field: MentionField): void => {
    const sent = messageIn(field, room.me);
    if (sent === null) return;
    const mentioned = field.mentioned();
    field.clear();
    reply(room.comments, thread.id, sent);
    void notify(room, sent, mentioned, thread);
  };
  const row = (thread: Thread): HTMLElement => {
    const known = replies.get(thread.id);
    const field: MentionField = known ?? mentionField(say('resposta'), room.people, () => answer(thread, field));
    replies.set(thread.id, field);
    return drawThread(thread, {
      field,
      current: thread.id === current,
      writable: room.writable(),
      open: () => {
        view.show(thread.id);
        room.goTo(thread);
      },
      answer: () => answer(thread, field),
      resolve: () => setResolved(room.comments, thread.id, !thread.resolvido),
    });
  };

  const view: CommentsView = {
    get threads() {
      return threads;
    },
    draw: () => {
      threads = readThreads(room.comments, room.text);
      const newForm = draft === null ? [] : [form(draft.field, say('enviar'), send, () => ((draft = null), view.draw()))];
      keepingFocus(byId('comentarios'), () => drawLists(threads, newForm, row));
      room.changed(threads, current);
    },
    begin: (range) => {
      const passage = passageOf(room.text, range);
      draft = { passage, field: mentionField(say('comentarioNovo', { trecho: passage.trecho.slice(0, 40) }), room.people, send) };
      view.draw();
      draft.field.input.focus();
    },
    show: (anchor, focus = false) => {
      const thread = threadWith(threads, anchor);
      if (thread === undefined) return false;
      current = thread.id;
      view.draw();
      if (thread.resolvido) byId<HTMLDetailsElement>('resolvidas').open = true;
      if (focus) focusThread(thread.id);
      return true;
    },
  };
  return view;
}

function drawLists(threads: readonly Thread[], newForm: readonly HTMLElement[], row: (thread: Thread) => HTMLElement): void {
  const open = threads.filter(({ resolvido }) => !resolvido);
  const resolved = threads.filter(({ resolvido }) => resolvido);
  byId('novo-comentario').replaceChildren(...newForm);
  byId('conversas').replaceChildren(...open.map(row));
  byId('sem-comentarios').hidden = open.length > 0 || newForm.length > 0;
  byId('resolvidas').hidden = resolved.length === 0;
  byId('resolvidas-titulo').textContent = say('resolvidos', { n: resolved.length });
  byId('resolvidas-lista').replaceChildren(...resolved.map(row));
}
