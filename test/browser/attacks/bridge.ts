/** Forged messages of the bridge: in the name of another app, answers to the question of consent, ports. */
import { frameOfVictim, inPathMode, type Attack, type Cell } from './attack.ts';
import { afresh, isGranted, question, type Reply } from './consent-question.ts';

declare const perguntar: (verbo: string, args?: object, moved?: Transferable[]) => Promise<Reply>;
declare const pedir: (capacidade: string, more?: object) => Promise<Reply>;

const consent = { de: 'hostil', para: 'fonte', capacidade: 'cofre/v1', resposta: 'sim', duracao: 'sempre' };

/** With the question open: whether what the page did answered it, or took it away. */
const answersQuestion =
  (act: (given: { readonly shell: string; readonly consent: object }) => unknown) =>
  async (cell: Cell): Promise<boolean> => {
    await afresh(cell);
    await cell.hostile.evaluate(() => void pedir('cofre/v1'));
    await question(cell).waitFor();
    await cell.hostile.evaluate(act, { shell: cell.aim.shell, consent }).catch(() => undefined);
    // The desktop handles messages in order: once it answered this, it is through with the others.
    await cell.hostile.evaluate(async () => await perguntar('window.maximize'));
    return (await isGranted(cell)) || (await question(cell).count()) === 0;
  };
const inBridge =
  (act: () => Promise<boolean>) =>
  async (cell: Cell): Promise<boolean> => {
    await afresh(cell);
    return await cell.hostile.evaluate(act);
  };

export const bridge: readonly Attack[] = [
  {
    what: 'takes the port of another window',
    by: 'the shell knows the window by its frame, never by the message',
    inPage: async () => {
      let ports = 0;
      addEventListener('message', ({ data }) => (ports += Number(data?.svc === 'porta')));
      const inner = document.createElement('iframe');
      inner.srcdoc =
        '<script>addEventListener("message", ({ ports }) => parent.postMessage(ports.length, "*")); top.postMessage({ svc: "ola", v: 1 }, "*")</script>';
      document.body.append(inner);
      // Its own hello is answered, with one port; the frame inside it gets none, nor does another hello in the name of somebody.
      parent.postMessage({ svc: 'ola', v: 1, app: 'vitima', window: 'vitima' }, '*');
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      inner.remove();
      return ports > 1;
    },
  },
  {
    what: 'hands a port of its own to the page of another app',
    by: 'the SDK takes a port from the shell only',
    seen: async (cell) => {
      await cell.hostile.evaluate(() => {
        const roots = (root: ParentNode): readonly ParentNode[] =>
          [root].concat([...root.querySelectorAll('*')].flatMap((one) => (one.shadowRoot === null ? [] : roots(one.shadowRoot))));
        const others: (Window | null | undefined)[] = Array.from({ length: parent.length }, (_, n) => parent[n]);
        try {
          others.push(...roots(parent.document).flatMap((root) => [...root.querySelectorAll('iframe')].map((one) => one.contentWindow)));
        } catch {
          // Another origin.
        }
        for (const other of others) {
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = ({ data }) => port1.postMessage({ id: data.id, ok: true, valor: { host: 'forjado', verbos: [] } });
          other?.postMessage({ svc: 'porta', v: 1 }, '*', [port2]);
        }
      });
      const host = await frameOfVictim(cell).evaluate<string>('svc.app.capacidades().then(({ host }) => host)');
      return host === 'forjado';
    },
  },
  {
    what: 'lists in the name of another app what that one declared',
    by: 'the shell knows the app by its window',
    seen: inBridge(async () => {
      const forged = { de: 'vitima', app: 'vitima', window: 'vitima', chamador: 'vitima' };
      return (await perguntar('apps.listar', { capacidade: 'banco/v1', ...forged })).ok === true;
    }),
  },
  {
    what: 'calls with the consent that another app has',
    by: 'the shell knows the app by its window, and drops `X-Svc-*` of the page',
    seen: inBridge(async () => {
      const cabecalhos = ['x-svc-app', 'x-svc-chamador'].map((name) => [name, 'vitima']);
      return (await pedir('banco/v1', { de: 'vitima', window: 'vitima', cabecalhos })).cabeca !== undefined;
    }),
  },
  {
    what: 'calls with a pass that it made up',
    by: 'the shell drops it, and the portal knows its passes',
    seen: async (cell) => {
      await afresh(cell);
      await cell.hostile.evaluate(() => {
        const uso = 'A'.repeat(43);
        void pedir('cofre/v1', { uso, cabecalhos: [['x-svc-consentimento', uso]] });
      });
      await question(cell).waitFor();
      return await isGranted(cell);
    },
  },
  {
    what: 'answers the question of consent by verbs of the bridge',
    by: 'there is no such verb',
    seen: answersQuestion(async ({ consent }) => {
      const names = [
        'consentimentos',
        'consentimento.responder',
        'apps.consentir',
        'apps.permitir',
        'apps.decidir',
        'configuracoes.consentir',
      ];
      await Promise.all(names.map(async (name) => await perguntar(name, consent)));
    }),
  },
  {
    what: 'answers it by a message to the desktop',
    by: 'the shell hears a hello, and nothing else outside of a port',
    seen: answersQuestion(({ consent }) => {
      for (const svc of ['consentimento', 'resposta', 'porta'])
        parent.postMessage({ svc, v: 1, id: 1, ok: true, valor: consent, kind: 'sim', para: 'fonte', dados: consent }, '*');
    }),
  },
  {
    what: 'answers it as the provider, over the port of the call',
    by: 'a message that keeps no rule ends the call',
    seen: async (cell) => {
      await afresh(cell);
      await cell.hostile.evaluate(() => void pedir('cofre/v1'));
      await question(cell).waitFor();
      await cell.hostile.evaluate(async (given) => {
        const port = Reflect.get(globalThis, 'canal') as MessagePort;
        const head = { status: 200, texto: '', cabecalhos: [['x-svc-fornecedor', 'fonte']], temCorpo: false };
        for (const message of [{ resposta: 'sim' }, given, { cabeca: head }, { mais: 1e9 }, { fim: true }, 'sim', null])
          port.postMessage(message);
        await perguntar('window.maximize');
      }, consent);
      return await isGranted(cell);
    },
  },
  {
    what: 'answers it by a request to the portal',
    by: 'the portal looks at Origin',
    open: inPathMode,
    seen: answersQuestion(async ({ shell, consent }) => {
      const body = JSON.stringify(consent);
      const wanted = { method: 'PUT', credentials: 'include', body } as const;
      await fetch(`${shell}api/consentimentos`, { ...wanted, headers: { 'content-type': 'application/json' } }).catch(() => undefined);
      await fetch(`${shell}api/consentimentos`, { ...wanted, method: 'POST', mode: 'no-cors' }).catch(() => undefined);
    }),
  },
];
