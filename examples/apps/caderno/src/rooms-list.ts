/** The list of rooms: open, create, rename, delete. Their members are shown by the share dialog, which the desktop draws. */
import { byId, el } from './dom.ts';
import type { Sala, Salas } from './portal.ts';
import { words } from './reasons.ts';
import { tell } from './room.ts';
import { say } from './texts.ts';

export interface RoomsList {
  readonly rooms: readonly Sala[];
  read(): Promise<void>;
  draw(current: string | null): void;
}

/** A dialog of the page's own: a browser may refuse confirm() to a page inside another. Null: cancelled. */
function ask(
  title: string,
  { value, confirm, danger = false }: { readonly value: string | null; readonly confirm: string; readonly danger?: boolean },
): Promise<string | null> {
  const dialog = byId<HTMLDialogElement>('pergunta');
  const input = el('input', {
    className: 'svc-campo',
    maxLength: 200,
    required: true,
    value: value ?? '',
    autocomplete: 'off',
    aria: { label: say('nomeNova') },
  });
  const form = el(
    'form',
    { method: 'dialog' },
    el('h2', { id: 'pergunta-titulo' }, title),
    value === null ? null : input,
    el(
      'div',
      { className: 'svc-barra' },
      el('button', { value: 'sim', className: 'svc-botao', dataset: { papel: danger ? 'perigo' : 'principal' } }, confirm),
      el('button', { type: 'button', className: 'svc-botao', on: { click: () => dialog.close('') } }, say('cancelar')),
    ),
  );
  dialog.replaceChildren(form);
  dialog.returnValue = '';
  dialog.showModal();
  input.select();
  return new Promise((done) => {
    // Called for a dialog that is open again by now: the question before was closed, and this one waits for its own answer.
    const closed = (): void => {
      if (dialog.open && form.isConnected) return;
      dialog.removeEventListener('close', closed);
      done(form.isConnected && dialog.returnValue === 'sim' ? input.value.trim() : null);
    };
    dialog.addEventListener('close', closed);
  });
}

const light = (word: string, label: string, click: () => void): HTMLElement =>
  el('button', { type: 'button', className: 'svc-botao leve', aria: { label }, on: { click } }, word);

interface RoomVerbs {
  readonly open: () => void;
  readonly rename: () => void;
  readonly remove: () => void;
}

function drawRoom({ id, nome, papel }: Sala, current: boolean, verbs: RoomVerbs): HTMLElement {
  const aria = { current: String(current) };
  const button = el(
    'button',
    { type: 'button', className: 'svc-item', dataset: { sala: id }, aria, on: { click: verbs.open } },
    el('strong', {}, nome),
    el('small', {}, say(`papel.${papel}`)),
  );
  if (papel !== 'dona') return el('li', {}, button);
  const rename = light(say('renomear'), say('renomearUm', { nome }), verbs.rename);
  const remove = light(say('apagar'), say('apagarUm', { nome }), verbs.remove);
  return el('li', {}, button, el('div', { className: 'verbos' }, rename, remove));
}

export function createRoomsList(salas: Salas, open: (sala: string) => void): RoomsList {
  let rooms: readonly Sala[] = [];
  let current: string | null = null;
  let readYet = false;

  const carryOut = async (act: () => Promise<unknown>): Promise<boolean> => {
    try {
      await act();
      await list.read();
      return true;
    } catch (error) {
      tell(say('falhou', { erro: words(error) }));
      return false;
    }
  };
  const rename = async ({ id, nome }: Sala): Promise<void> => {
    const name = await ask(say('renomearUm', { nome }), { value: nome, confirm: say('guardar') });
    if (name !== null && name !== '' && name !== nome) await carryOut(() => salas.renomear(id, name));
  };
  const remove = async ({ id, nome }: Sala): Promise<void> => {
    const sure = await ask(say('apagarPergunta', { nome }), { value: null, confirm: say('apagarMesmo'), danger: true });
    if (sure !== null && (await carryOut(() => salas.apagar(id)))) byId('nova').focus();
  };
  const create = async (): Promise<void> => {
    const name = await ask(say('nova'), { value: '', confirm: say('criar') });
    if (name === null || name === '') return;
    await carryOut(async () => {
      const { id } = await salas.criar(name);
      await list.read();
      open(id);
    });
  };
  byId('nova').addEventListener('click', () => void create());
  // Until here a click would be lost.
  byId<HTMLButtonElement>('nova').disabled = false;

  const list: RoomsList = {
    get rooms() {
      return rooms;
    },
    read: async () => {
      ({ salas: rooms } = await salas.listar());
      readYet = true;
      list.draw(current);
    },
    draw: (now) => {
      current = now;
      const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset['sala'] : undefined;
      const row = (room: Sala): HTMLElement =>
        drawRoom(room, room.id === current, {
          open: () => open(room.id),
          rename: () => void rename(room),
          remove: () => void remove(room),
        });
      byId('salas').replaceChildren(...rooms.map(row));
      if (focused !== undefined)
        byId('salas')
          .querySelector<HTMLElement>(`[data-sala="${CSS.escape(focused)}"]`)
          ?.focus();
      byId('vazia').hidden = !readYet || rooms.length > 0;
      byId('vazia').textContent = say('nenhuma');
    },
  };
  return list;
}
