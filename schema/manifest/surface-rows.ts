/** Rows of the manifest for what an app shows: its window, what it opens, and what it adds to the desktop. */
import { limits as bridgeLimits } from '../bridge/limits.ts';
import { limits } from '../limits.ts';
import { closed, fields, flag, list, oneOf, pattern, text, type Wire } from '../static.ts';
import { patterns } from './patterns.ts';
import { says } from './row.ts';

/** Spec 2.5. */
const ownFileType = fields(
  {
    extensao: says(
      pattern('^\\.?[a-z0-9][a-z0-9+_-]{0,15}$', 'a lowercase extension of at most 16 characters'),
      'Lowercase, with or without the dot.',
    ),
    nome: says({ type: 'string', minLength: 1, maxLength: limits.ownFileTypeNameCharsMax }, 'Shown in the Type column.'),
    cor: says(pattern('^#[0-9a-fA-F]{6}$', 'a color as #rrggbb'), 'Color of the badge, whose text is white.'),
    icone: says(
      pattern('^[A-Za-z0-9][A-Za-z0-9/._-]*\\.(svg|png|jpe?g)$', 'the relative path of an svg, png or jpg file in the package'),
      'Picture in the package. Left out: the icon of the app.',
    ),
    selo: says(pattern('^[A-Z0-9]{1,5}$', '1 to 5 uppercase letters or digits'), 'Letters of the badge. Left out: no badge.'),
  },
  ['extensao', 'nome', 'cor'],
);

export const windowFields = fields({
  title: says(text, 'Its title. Left out: the name of the app.'),
  width: says({ type: 'integer', minimum: limits.windowWidthMin, maximum: limits.windowSideMax }, 'In CSS pixels.'),
  height: says({ type: 'integer', minimum: limits.windowHeightMin, maximum: limits.windowSideMax }, 'In CSS pixels.'),
  richChrome: says(flag, 'A tab bar in the title bar: svc.abas.', { default: false }),
  multiplasJanelas: says(flag, 'Each time it is opened there is another window; the backend stays one process.', { default: false }),
  cabecalho: says(
    oneOf(['ambiente', 'app']),
    'Draws the title bar. With "app" the page wires dragging, double click and the menu itself.',
    { default: 'ambiente' },
  ),
  minimos: says(
    fields({
      largura: says(
        { type: 'integer', minimum: limits.windowFloorWidth, maximum: limits.windowSideMax },
        'Least width; on a screen under 600 px it yields.',
        { default: limits.windowFloorWidth },
      ),
      altura: says(
        { type: 'integer', minimum: limits.windowFloorHeight, maximum: limits.windowSideMax },
        'Least height; on a screen under 600 px it yields.',
        { default: limits.windowFloorHeight },
      ),
    }),
    'How small the window may become.',
  ),
  posicao: says(oneOf(['cascata', 'centrada']), 'Where a new window is.', { default: 'cascata' }),
  cancelarArraste: says(
    list(says({ type: 'string', minLength: 1 }, 'One the browser does not know is ignored.')),
    'CSS selectors where a drag does not move the window.',
  ),
  icone: says(
    fields({
      glifo: says(oneOf(['pasta', 'globo']), 'One that the shell draws; wins over "url".'),
      url: says({ type: 'string', minLength: 1 }, 'Path in the app.'),
    }),
    'Icon of the window.',
  ),
});

const extension = pattern(patterns.extension, 'a file extension, with or without the dot');

export const opens = fields({
  extensions: says(list(says(extension, 'As .txt or txt.')), 'File name extensions, with or without the dot.'),
  mimeTypes: says(list(says(pattern(patterns.mediaType, 'a media type as type/subtype'), 'As text/plain.')), 'Media types.'),
  default: says(flag, 'Asks for the double click; what the person chose wins, and two apps that ask elect nobody.', { default: false }),
  proprios: says(
    { ...list(says(ownFileType, 'One type; its extension is in "extensions", too.')), maxItems: limits.ownFileTypesMax },
    'File types that the app makes itself, each with its badge.',
  ),
  urls: says(
    list(
      says(
        pattern(
          '^(?:\\*\\.)?(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\\.)+[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?$',
          'a host of at least two labels, or *. before one, without scheme, port or path',
        ),
        'example.com is that host only, *.example.com also what is below it.',
      ),
    ),
    'Hosts whose links the app opens; which app does is chosen by the person.',
  ),
});

export const menuSurfaces = ['arquivo', 'pasta', 'area-de-trabalho', 'icone-do-app'] as const;

/** A valid item of a context menu. Source: rules 2.2. */
export const menuItem = closed(
  {
    id: says(pattern('^[a-z0-9][a-z0-9-]{0,47}$', '1 to 48 lowercase letters, digits or "-", not "-" first'), 'Once in the app.'),
    superficie: says(oneOf(menuSurfaces), 'Where the item appears; "icone-do-app" is the menu of the icon of the app.'),
    rotulo: says({ type: 'string', minLength: 1, maxLength: limits.menuLabelCharsMax }, 'Text of the item.'),
    // No clamping. Source: rules 2.2 `ordem`, 7.
    ordem: says({ type: 'integer', minimum: limits.menuOrderMin, maximum: limits.menuOrderMax }, 'Place among the items of the shell.', {
      default: limits.menuOrderDefault,
    }),
    quando: says(
      closed({ extensoes: { ...list(extension), minItems: 1, title: 'a list of at least one extension' } }, []),
      'Only for "arquivo": on which files.',
    ),
    acao: says(oneOf(['abrir', 'abrirRota']), 'Left out: the one of the surface.'),
    rota: says(
      { type: 'string', minLength: 1, maxLength: bridgeLimits.routeCharsMax },
      'Only for "icone-do-app", which needs it: a place inside the app.',
    ),
  },
  ['id', 'superficie', 'rotulo'],
);
export type MenuItem = Wire<typeof menuItem>;

export const contributes = fields({
  settings: says(
    pattern(patterns.script, 'the relative path of a .js file in the package'),
    'Script in the package that registers a section in Settings. It runs with the trust of the shell.',
  ),
  settingsOptIn: says(flag, 'The section appears only after the person turned it on from inside the app.', { default: false }),
  // Open here, since an item that is not valid is left out and not refused: menu.ts judges each by `menuItem`.
  contextMenu: says(
    { ...list(says({}, 'An item on files, folders, the desktop, or the icon of the app.')), maxItems: limits.contextMenuItemsMax },
    'Items of context menus. One that is not valid is left out, with a warning of svc validate.',
  ),
  browserExtension: says(
    fields(
      {
        id: says(pattern(patterns.id, 'lowercase letters, digits and "-"'), 'Its id in the catalogue of extensions.'),
        razao: says({ type: 'string', minLength: 1, maxLength: limits.extensionReasonCharsMax }, 'A sentence for the person who decides.'),
      },
      ['id'],
    ),
    'An extension for the embedded browser; the person decides.',
  ),
});
