/**
 * The purpose of each field of `svc-app.json`, in a sentence beside its schema: shown by editors, by `svc schema` and in the reference. Keys are
 * paths in the schema: `[]` is an item of a list, `*` any name. A test holds them against schema.ts: one for each field and no other.
 */
import { limits } from '../limits.ts';

export interface FieldText {
  readonly says: string;
  /** The value that applies when the field is left out. */
  readonly default?: string | number | boolean | readonly string[];
}

const field = (says: string, value?: FieldText['default']): FieldText => (value === undefined ? { says } : { says, default: value });
const capabilities = 'name/vN, as texto/v1; a changed contract is name/v2, and both may be offered.';

const identity: Readonly<Record<string, FieldText>> = {
  id: field('Names the app everywhere: in paths, the socket and the address. It never changes; another id is another app.'),
  name: field('How people see the app. Left out: the id.'),
  version: field('Semantic version. Installing does nothing for a version that is there, so every release has a new one.'),
  type: field('"engine" has a backend only: no window and no icon in the launcher.', 'app'),
  kind: field('"service" starts by itself and is started again when it ends.', 'app'),
  escopo: field(
    '"pessoa": one backend for each account. "servidor": one for all, started by the service manager; needs "kind": "service".',
    'pessoa',
  ),
  icon: field('Path in the package of an svg, png or jpg file.'),
  category: field('Section of the launcher, by the names of desktop menus: Development, Office, Graphics, Utility, System.', 'Other'),
  description: field('What the app does, in a sentence or two, for the shop.'),
  developer: field('Who made the software.'),
  'developer.name': field('Name as the shop shows it.'),
  'developer.url': field('Address of who made it.'),
  publisher: field('Who packaged it, when that is somebody else.'),
  'publisher.name': field('Name as the shop shows it.'),
  'publisher.url': field('Address of who packaged it.'),
  homepage: field('Address of the page about the app.'),
  license: field('SPDX identifier, as Apache-2.0; other text passes.'),
};

const offers: Readonly<Record<string, FieldText>> = {
  engine: field('Only for "type": "engine".'),
  'engine.loader': field(
    'Script that the environment loads once the backend answers: the file frontend/<loader> or <loader> of the package, which the backend serves; with "escopo": "servidor" the backend alone may have it.',
  ),
  provides: field('Capabilities that this app offers to other apps.'),
  'provides[]': field(capabilities),
  requires: field('Capabilities without which the app can not be installed.'),
  'requires[]': field(capabilities),
  usa: field('Capabilities that the app uses when somebody offers them; installing does not ask for them.'),
  'usa[]': field(capabilities),
  capacidades: field('Under which route each offered capability is answered; without an entry here nobody can call it.'),
  'capacidades.*': field('One capability of "provides".'),
  'capacidades.*.rota': field('Prefix of its routes from the root of the backend, as /api/texto; a request reaches only what is below it.'),
  'capacidades.*.rotulo': field('How the offer is named in a menu where several apps offer it. Left out: the name of the app.'),
  minShellVersion: field('Oldest version of svc that the app works with; checked when it is installed.'),
  requiredPackages: field('Linux packages that the server must have; installing refuses without them.'),
  'requiredPackages[]': field('A package name, or several joined by "|" of which any one is enough; the first is suggested.'),
  motores: field('Large parts of the app that servers download once, apart from the package. They make the app one for the system scope.'),
  'motores[]': field('One of them, as publicar-motor prints it.'),
  'motores[].nome': field('Names the variable SVC_MOTOR_<NOME>, which holds its path.'),
  'motores[].versao': field('The same version is not downloaded again.'),
  'motores[].url': field('Where its tarball is, without a token: /v1/motor/<nome>/<versao> of a repository.'),
  'motores[].sha256': field('Of the tarball; checked before it is extracted.'),
  'motores[].tamanho': field('Bytes of the tarball; the server looks for that much space first.'),
  'motores[].confere': field('A path that must be there once it is extracted.'),
  'motores[].quando': field('"gpu": only on servers with a physical GPU.'),
  instalacao: field('Where it may be installed: "sistema" by an administrator for everybody, "pessoa" by a person for themself.', [
    'sistema',
  ]),
  'instalacao[]': field('"pessoa": the app runs from the home of the person, and its installCommand needs no root.'),
};

const surfaces: Readonly<Record<string, FieldText>> = {
  contributes: field('What the app adds outside of its own window; served while its backend is stopped, too.'),
  'contributes.settings': field('Script in the package that registers a section in Settings. It runs with the trust of the shell.'),
  'contributes.settingsOptIn': field('The section appears only after the person turned it on from inside the app.', false),
  'contributes.contextMenu': field('Items of context menus. One that is not valid is left out, with a warning of svc validate.'),
  'contributes.contextMenu[]': field('An item on files, folders, the desktop, or the icon of the app.'),
  'contributes.browserExtension': field('An extension for the embedded browser; the person decides.'),
  'contributes.browserExtension.id': field('Its id in the catalogue of extensions.'),
  'contributes.browserExtension.razao': field('A sentence for the person who decides.'),
  handles: field('Offers the app as one of the built-in launchers; the person chooses in Settings. "vscode" is the old name of "ide".'),
  opens: field('What the app opens.'),
  'opens.extensions': field('File name extensions, with or without the dot.'),
  'opens.extensions[]': field('As .txt or txt.'),
  'opens.mimeTypes': field('Media types.'),
  'opens.mimeTypes[]': field('As text/plain.'),
  'opens.default': field('Asks for the double click; what the person chose wins, and two apps that ask elect nobody.', false),
  'opens.proprios': field('File types that the app makes itself, each with its badge.'),
  'opens.proprios[]': field('One type; its extension is in "extensions", too.'),
  'opens.proprios[].extensao': field('Lowercase, with or without the dot.'),
  'opens.proprios[].nome': field('Shown in the Type column.'),
  'opens.proprios[].cor': field(`Of the badge, whose text is white: contrast at least ${limits.badgeContrastMin}:1.`),
  'opens.proprios[].icone': field('Picture in the package. Left out: the icon of the app.'),
  'opens.proprios[].selo': field('Letters of the badge. Left out: no badge.'),
  'opens.urls': field('Hosts whose links the app opens; which app does is chosen by the person.'),
  'opens.urls[]': field('example.com is that host only, *.example.com also what is below it.'),
  window: field('The window of the app; ignored for an engine.'),
  'window.title': field('Its title. Left out: the name of the app.'),
  'window.width': field('In CSS pixels.'),
  'window.height': field('In CSS pixels.'),
  'window.richChrome': field('A tab bar in the title bar: svc.abas.', false),
  'window.multiplasJanelas': field('Each time it is opened there is another window; the backend stays one process.', false),
  'window.cabecalho': field('Who draws the title bar. With "app" the page wires dragging, double click and the menu itself.', 'ambiente'),
  'window.minimos': field('How small the window may become.'),
  'window.minimos.largura': field('Least width; on a screen under 600 px it yields.', limits.windowFloorWidth),
  'window.minimos.altura': field('Least height; on a screen under 600 px it yields.', limits.windowFloorHeight),
  'window.posicao': field('Where a new window is.', 'cascata'),
  'window.cancelarArraste': field('CSS selectors where a drag does not move the window.'),
  'window.cancelarArraste[]': field('One the browser does not know is ignored.'),
  'window.icone': field('Of the window.'),
  'window.icone.glifo': field('One that the shell draws; wins over "url".'),
  'window.icone.url': field('Path in the app.'),
};

const process: Readonly<Record<string, FieldText>> = {
  resources: field('Ceilings of the processes of the app, its children included. Left out, those of the environment hold.'),
  'resources.memoryHigh': field('From here on memory is taken back, nothing is ended: 512M, 25%, none.'),
  'resources.memoryMax': field('Above it the app is ended: 1G, 50%, none.'),
  'resources.cpuQuota': field('100% is one core.', 'none'),
  'resources.tasksMax': field('Processes and threads.'),
  recursos: field('What the app asks of the system. svc.*.disponivel() tells the app whether it got it, and why not.'),
  'recursos.gpu': field('Without it the app sees no GPU.'),
  'recursos.gpu.modo': field('"opcional": starts with or without one. "necessaria": does not start without one.'),
  'recursos.fila': field('The processing queue: svc.fila in the backend and the page.', false),
  'recursos.salas': field('The backend uses shared rooms: svc.salas. Pages need no declaration.', false),
  'recursos.metricas': field('Counters and durations on /metrics, errors to the log: svc.metricas.', false),
  gpu: field('Old spelling of recursos.gpu.modo "opcional".', false),
  secrets: field('Values that the person stores in Settings and the backend gets as variables. They are never in the manifest.'),
  'secrets[]': field('One variable.'),
  'secrets[].name': field('Name of the variable, as API_KEY.'),
  'secrets[].description': field('What it is and where to get it, for the person.'),
  'secrets[].required': field('Shown to the person; the app starts without it all the same.', false),
  backend: field('The process of the app.'),
  'backend.runtime': field('What runs the entrypoint. The SDK is there for python3 and node.'),
  'backend.entrypoint': field('Path in the package. It must listen on the unix socket in SVC_APP_SOCKET.'),
  'backend.transport': field('Only the unix socket; a TCP port is not proxied.', 'socket'),
  'backend.aoFechar': field(
    'When its last window closed: "encerrar" stops it two minutes later, "manter" keeps it, "ocioso:30m" stops it after that long without use.',
    'encerrar',
  ),
  'backend.installCommand': field('Runs once as root at installation and once for each person: it must change nothing the second time.'),
  'backend.healthcheckPath': field('Asked until it answers; then the app is ready.', '/'),
};

export const fieldTexts: Readonly<Record<string, FieldText>> = { ...identity, ...offers, ...surfaces, ...process };
