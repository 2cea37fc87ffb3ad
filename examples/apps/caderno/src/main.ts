/** Caderno: a text that people write together. Everything shared goes by `svc.salas`; see docs/rooms.md. */
import { byId } from './dom.ts';
import { svc, type Salas } from './portal.ts';
import { words } from './reasons.ts';
import { openRoom, tell, type OpenRoom } from './room.ts';
import { createRoomsList, type RoomsList } from './rooms-list.ts';
import { say, setLanguage } from './texts.ts';

/** Below this width one thing is shown at a time. Same as in caderno.css. */
const narrow = matchMedia('(max-width: 719px)');

async function start(salas: Salas): Promise<void> {
  let room: OpenRoom | null = null;
  const list = createRoomsList(salas, (sala) => void open(sala, null));
  const me = (await (svc ?? fail()).pessoas.eu()) ?? fail();

  const show = (view: 'lista' | 'texto' | 'comentarios'): void => void (document.body.dataset['vista'] = view);
  const title = (): void => {
    byId('nome').textContent = list.rooms.find(({ id }) => id === room?.id)?.nome ?? byId('nome').textContent;
  };
  const close = async (): Promise<void> => {
    const before = room;
    room = null;
    await before?.close();
    byId('sala').hidden = true;
    byId('escolha').hidden = false;
  };
  async function open(sala: string, comment: string | null): Promise<void> {
    show('texto');
    if (room?.id !== sala) {
      await close();
      tell('');
      const find = () => list.rooms.find(({ id }) => id === sala);
      const read = find() !== undefined || (await refresh(list));
      const known = find();
      // Without the list, the copy on this machine may still be there.
      if (known === undefined && read) {
        show('lista');
        tell(say('naoEntrou'));
        return;
      }
      byId('sala').hidden = false;
      byId('escolha').hidden = true;
      byId('nome').textContent = known?.nome ?? '';
      room = openRoom({ salas, id: sala, me });
      list.draw(sala);
      byId<HTMLAnchorElement>('exportar').href = `api/exportar/${encodeURIComponent(sala)}`;
      history.replaceState(null, '', `?${new URLSearchParams({ sala }).toString()}`);
    }
    if (comment !== null) room?.showComment(comment);
  }
  const follow = async (route: string): Promise<void> => {
    const at = new URL(route, document.baseURI).searchParams;
    const sala = at.get('sala');
    if (sala !== null) await open(sala, at.get('comentario'));
  };

  /** A dialog of the desktop about the open room. */
  const dialog = async (show: (sala: string) => Promise<null>): Promise<void> => {
    if (room !== null) await show(room.id).catch((error: unknown) => tell(say('falhou', { erro: words(error) })));
  };
  wireButtons(() => room, {
    back: () => {
      if (!narrow.matches) document.body.dataset['lista'] = document.body.dataset['lista'] === 'nao' ? 'sim' : 'nao';
      else {
        show('lista');
        byId('nova').focus();
      }
    },
    share: () => dialog(salas.compartilhar),
    history: () => dialog(salas.mostrarHistorico),
  });
  salas.ao('mudaram', () => {
    void (async () => {
      await refresh(list);
      title();
      // Deleted or removed: the connection says so.
      if (list.rooms.some(({ id }) => id === room?.id)) await room?.readPeople();
    })();
  });
  svc?.app.ao('tema', ({ idioma }) => setLanguage(idioma, () => (list.draw(room?.id ?? null), room?.relabel())));
  svc?.app.ao('abertura', ({ rota = '' }) => void follow(rota));
  addEventListener('pagehide', () => void room?.close());
  await refresh(list);
  await follow(location.search);
}

/** Says of the two buttons whether what they open is open. */
function tellViews(): void {
  const reflect = (): void => {
    const { lista, comentarios, vista } = document.body.dataset;
    const open = narrow.matches ? vista === 'comentarios' : comentarios !== 'nao';
    byId('ver-comentarios').setAttribute('aria-expanded', String(open));
    if (narrow.matches) byId('voltar').removeAttribute('aria-expanded');
    else byId('voltar').setAttribute('aria-expanded', String(lista !== 'nao'));
  };
  new MutationObserver(reflect).observe(document.body, { attributes: true });
  narrow.addEventListener('change', reflect);
  reflect();
}

const fail = (): never => {
  throw new Error('no svc');
};

/** False: the list could not be read, and why was said. */
async function refresh(list: RoomsList): Promise<boolean> {
  try {
    await list.read();
    return true;
  } catch (error) {
    tell(say('falhou', { erro: words(error) }));
    return false;
  }
}

function wireButtons(
  room: () => OpenRoom | null,
  { back, share, history }: { readonly back: () => void; readonly share: () => Promise<void>; readonly history: () => Promise<void> },
): void {
  const files = byId<HTMLInputElement>('arquivo');
  byId('voltar').addEventListener('click', back);
  byId('comentar').addEventListener('mousedown', (event) => event.preventDefault());
  byId('comentar').addEventListener('click', () => room()?.comment());
  byId('ver-comentarios').addEventListener('click', () => {
    const { body } = document;
    if (narrow.matches) body.dataset['vista'] = body.dataset['vista'] === 'comentarios' ? 'texto' : 'comentarios';
    else body.dataset['comentarios'] = body.dataset['comentarios'] === 'nao' ? 'sim' : 'nao';
  });
  byId('fechar-comentarios').addEventListener('click', () => {
    document.body.dataset['vista'] = 'texto';
    byId('ver-comentarios').focus();
  });
  byId('imagem').addEventListener('click', () => files.click());
  files.addEventListener('change', () => {
    room()?.addImages([...(files.files ?? [])]);
    files.value = '';
  });
  byId('historico').addEventListener('click', () => void history());
  byId('compartilhar').addEventListener('click', () => void share());
  // Control+Alt+M is what other editors use for a comment.
  addEventListener('keydown', (event) => {
    if (!(event.ctrlKey || event.metaKey) || !event.altKey || event.key.toLowerCase() !== 'm') return;
    event.preventDefault();
    room()?.comment();
  });
}

setLanguage(null, () => {});
tellViews();
if (svc === undefined || !svc.noAmbiente) tell(say('foraDoAmbiente'));
else
  start(svc.salas).catch((error: unknown) =>
    tell(svc?.noAmbiente === true ? say('falhou', { erro: words(error) }) : say('foraDoAmbiente')),
  );
