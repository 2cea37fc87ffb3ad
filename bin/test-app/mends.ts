/** The lines that mend what a check found, by the runtime of the app: what docs/app-authors.md shows. */
import type { Manifest } from '../../schema/manifest/manifest.ts';
import type { Words } from '../../schema/texts/reasons.ts';

type Runtime = Manifest['backend']['runtime'];
type Part = 'listen' | 'gate' | 'page' | 'notFound';

const code: Readonly<Record<Part, Readonly<Record<Runtime, Words>>>> = {
  listen: {
    python3: same('sys.exit(servidor.escutar(Pedido, sys.argv[1:]))'),
    node: same('escutar(server)'),
    binary: {
      pt: 'escute como svc_escutar() do modelo "binary" de svc create: SVC_APP_SOCKET ou --tcp, umask 0177, SIGTERM',
      en: 'listen as svc_escutar() of the template "binary" of svc create does: SVC_APP_SOCKET or --tcp, umask 0177, SIGTERM',
    },
  },
  gate: {
    python3: same('class Pedido(servidor.Pedido):'),
    node: same('http.createServer(servidor.portao((req, res) => { … }))'),
    binary: {
      pt: 'compare X-Svc-App-Token com SVC_APP_TOKEN antes de tudo; senão 403 com "X-Svc-Token: recusado"',
      en: 'compare X-Svc-App-Token with SVC_APP_TOKEN before anything else; otherwise 403 with "X-Svc-Token: recusado"',
    },
  },
  page: {
    python3: same("pagina = web.spa(RAIZ / 'frontend', ui=True, scripts=['app.js'], ao_avisar=log)"),
    // In two parts: the bundle would write a path in place of the name.
    node: same(
      ["const pagina = web.spa(new URL('../frontend/', import.meta", "url), { ui: true, scripts: ['app.js'], aoAvisar: log })"].join('.'),
    ),
    binary: {
      pt: 'sirva frontend/index.html em / com <base href="SVC_APP_BASE_PATH"> depois de <head>',
      en: 'serve frontend/index.html at / with <base href="SVC_APP_BASE_PATH"> after <head>',
    },
  },
  notFound: {
    python3: same("if not pagina(self): self.responder_json(404, {'error': 'rota desconhecida'})"),
    node: same("if (!pagina(req, res)) servidor.responderJson(res, 404, { error: 'rota desconhecida' })"),
    binary: {
      pt: 'responda 404 em JSON ao que não é rota sua',
      en: 'answer 404 in JSON to what is no route of yours',
    },
  },
};

function same(text: string): Words {
  return { pt: text, en: text };
}

export const mendOf = (part: Part, { backend }: Manifest): Words => code[part][backend.runtime];

/** The last line that the app printed, for a sentence. */
export function lastLine(output: string): string {
  const lines = output.split('\n').filter((line) => line.trim() !== '');
  return lines.at(-1)?.trim().slice(0, 300) ?? '';
}
