/** Effect of each key, as the page reports it: the table of the tests of the kit. `told` has the events in their order. */

const menu = `<ui-menu id="m" label="Ações"><ui-button slot="trigger" id="b">Ações</ui-button><ui-menu-item value="a">Abrir</ui-menu-item>
  <ui-menu-item value="c">Copiar</ui-menu-item><ui-menu-item value="d" disabled>Mover</ui-menu-item><hr>
  <ui-menu-item type="checkbox" value="o">Ocultos</ui-menu-item><ui-menu-item>Ordem<ui-menu><ui-menu-item value="n">Nome</ui-menu-item></ui-menu></ui-menu-item></ui-menu>`;
const tabs = `<ui-tabs label="t" id="t"><ui-tab panel="a">A</ui-tab><ui-tab panel="b" disabled>B</ui-tab><ui-tab panel="c">C</ui-tab>
  <ui-tab-panel name="a">pa</ui-tab-panel><ui-tab-panel name="b">pb</ui-tab-panel><ui-tab-panel name="c">pc</ui-tab-panel></ui-tabs>`;
const drafts = `<ui-tabs label="t" id="t" manual movable><ui-tab panel="a" closable>A</ui-tab><ui-tab panel="b" closable>B</ui-tab>
  <ui-tab panel="c">C</ui-tab><button type="button" slot="end" id="novo">+</button></ui-tabs>`;
const tree = `<ui-tree label="t" id="t"><ui-tree-item value="casa">casa<ui-tree-item value="docs">docs</ui-tree-item></ui-tree-item>
  <ui-tree-item value="dados" lazy>dados</ui-tree-item><ui-tree-item value="lixo">lixo</ui-tree-item></ui-tree>`;
const nested = `<button type="button" id="antes">antes</button><ui-tree label="t" id="t"><ui-tree-item value="casa" expanded>casa<ui-tree-item value="docs" expanded>docs<ui-tree-item
  value="fotos" selected>fotos</ui-tree-item></ui-tree-item></ui-tree-item><ui-tree-item value="lixo">lixo</ui-tree-item></ui-tree><button type="button" id="depois">depois</button>`;
const table = `<ui-table label="t" id="t" selectable="many"><table><thead><tr><th data-sort="text">Nome</th><th data-sort="number">N</th></tr></thead><tbody>
  <tr data-id="b"><td>b</td><td>10</td></tr><tr data-id="a"><td>a</td><td>9</td></tr><tr data-id="c"><td>c</td><td></td></tr></tbody></table></ui-table>`;
const dialog = `<ui-button id="b" opens="d">Abrir</ui-button><ui-dialog id="d" label="Título"><ui-field id="f" label="Nome"></ui-field>
  <ui-button slot="actions" id="n" data-close="nao">Não</ui-button></ui-dialog>`;
const bar = `<ui-toolbar label="t"><ui-button id="um">1</ui-button><ui-button id="fora" disabled>x</ui-button><button type="button" id="dois">2</button>
  <ui-field id="campo" label="c" hide-label></ui-field></ui-toolbar><button type="button" id="depois">depois</button>`;
const narrow = `<ui-toolbar label="t"><ui-button id="um">1</ui-button><dialog><ui-button id="dois">2</ui-button></dialog><ui-button id="tres">3</ui-button></ui-toolbar>`;
const split = `<ui-split id="s" position="40" label="l"><p slot="first">a</p><p slot="second">b</p></ui-split>`;
const form = `<form id="f"><ui-field id="nome" label="Nome" name="nome"></ui-field><ui-button type="submit" id="s">Enviar</ui-button></form>`;
const radios = `<ui-radio-group id="r" label="r" value="a"><option value="a">A</option><option value="x" disabled>X</option><option value="b">B</option></ui-radio-group>`;

/** Element, what is in the page, keys from the top of the page on, what the page then says of itself. */
export const keyTable: readonly (readonly [string, string, readonly string[], string, unknown])[] = [
  ['button', '<ui-button id="b">b</ui-button>', ['Tab', 'Enter', 'Space'], 'told', ['click b', 'click b']],
  ['button, busy', '<ui-button id="b" busy>b</ui-button>', ['Tab', 'Enter'], '[document.activeElement.id, ...told]', ['b']],
  ['button, disabled', '<ui-button disabled>b</ui-button><ui-button id="c">c</ui-button>', ['Tab'], 'document.activeElement.id', 'c'],
  ['field', '<ui-field id="f" label="f"></ui-field>', ['Tab', 'o', 'i'], 'f.value', 'oi'],
  ['field, Enter sends the form', form, ['Tab', 'o', 'Enter'], 'told', ['change nome', 'click s', 'submit nome=o']],
  ['field, textarea', '<form><ui-field id="f" type="textarea" label="f"></ui-field></form>', ['Tab', 'a', 'Enter', 'b'], 'f.value', 'a\nb'],
  [
    'field, password',
    '<ui-field id="f" type="password" label="f"></ui-field>',
    ['Tab', 'a', 'Tab', 'Enter'],
    `f.shadowRoot.querySelector('input').type`,
    'text',
  ],
  [
    'select',
    '<ui-select id="s" label="s"><option>a</option><option>b</option></ui-select>',
    ['Tab', 'ArrowDown'],
    '[s.value, ...told]',
    ['b', 'change s'],
  ],
  [
    'checkbox',
    '<ui-checkbox id="c">c</ui-checkbox>',
    ['Tab', 'Space'],
    '[c.checked, ...told.filter((line) => line.startsWith("change"))]',
    [true, 'change c'],
  ],
  ['switch', '<ui-switch id="c" checked>c</ui-switch>', ['Tab', 'Space'], 'c.checked', false],
  ['radio group: one stop, arrows choose', radios, ['Tab', 'ArrowDown'], '[r.value, document.activeElement.id]', ['b', 'r']],
  [
    'radio group and checkbox: Enter sends the form',
    `<form>${radios}<ui-checkbox id="c" label="c"></ui-checkbox><ui-button type="submit" id="s">Enviar</ui-button></form>`,
    ['Tab', 'Enter', 'Tab', 'Enter'],
    'told.filter((line) => line === "click s")',
    ['click s', 'click s'],
  ],
  ['dialog: the focus goes to the first field', dialog, ['Tab', 'Enter'], '[d.open, document.activeElement.id]', [true, 'f']],
  [
    'dialog: Escape closes, the focus comes back',
    dialog,
    ['Tab', 'Enter', 'Escape'],
    '[d.open, document.activeElement.id, told.at(-1)]',
    [false, 'b', 'close d'],
  ],
  [
    'dialog: data-close',
    dialog,
    ['Tab', 'Enter', 'Tab', 'Enter'],
    '[d.open, d.returnValue, document.activeElement.id]',
    [false, 'nao', 'b'],
  ],
  [
    'dialog: its own autofocus is its title',
    dialog.replace('label="Título"', 'label="Título" autofocus'),
    ['Tab', 'Enter'],
    '[document.activeElement.id, d.shadowRoot.activeElement.id]',
    ['d', 'title'],
  ],
  [
    'dialog, hide-label: it has its name and is left by Escape',
    '<ui-button id="b" opens="d">b</ui-button><ui-dialog id="d" label="Título" hide-label>Nada</ui-dialog>',
    ['Tab', 'Enter', 'Escape'],
    `[d.shadowRoot.querySelector('dialog').ariaLabel, d.shadowRoot.querySelector('h2'), d.open, document.activeElement.id]`,
    ['Título', null, false, 'b'],
  ],
  [
    'dialog, fixed: no Escape closes it, nor a second one',
    dialog.replace('label="Título"', 'label="Título" fixed'),
    ['Tab', 'Enter', 'Escape', 'Escape', 'Escape'],
    '[d.open, document.activeElement.id]',
    [true, 'f'],
  ],
  ['menu: Enter opens at the first', menu, ['Tab', 'Enter'], '[m.open, document.activeElement.value]', [true, 'a']],
  ['menu: ArrowUp opens at the last', menu, ['Tab', 'ArrowUp'], 'document.activeElement.words', 'Ordem'],
  ['menu: arrows go round', menu, ['Tab', 'Enter', 'ArrowUp', 'ArrowDown', 'ArrowDown'], 'document.activeElement.value', 'c'],
  ['menu: Home, End', menu, ['Tab', 'Enter', 'End', 'Home'], 'document.activeElement.value', 'a'],
  ['menu: a letter finds', menu, ['Tab', 'Enter', 'm'], 'document.activeElement.value', 'd'],
  [
    'menu: Enter chooses, the focus comes back',
    menu,
    ['Tab', 'Enter', 'ArrowDown', 'Enter'],
    '[m.open, document.activeElement.id, told.at(-1)]',
    [false, 'b', 'choose m c'],
  ],
  [
    'menu: what is disabled does nothing',
    menu,
    ['Tab', 'Enter', 'm', 'Enter'],
    '[m.open, ...told.filter((line) => line.startsWith("choose"))]',
    [true],
  ],
  ['menu: Escape', menu, ['Tab', 'Enter', 'Escape'], '[m.open, document.activeElement.id]', [false, 'b']],
  ['menu: a box is ticked', menu, ['Tab', 'Enter', 'o', 'Space'], `m.querySelector('[value=o]').checked`, true],
  ['menu: into the menu of an entry', menu, ['Tab', 'Enter', 'End', 'ArrowRight'], 'document.activeElement.value', 'n'],
  ['menu: and back', menu, ['Tab', 'Enter', 'End', 'ArrowRight', 'ArrowLeft'], '[m.open, document.activeElement.words]', [true, 'Ordem']],
  [
    'menu: chosen there, all close',
    menu,
    ['Tab', 'Enter', 'End', 'ArrowRight', 'Enter'],
    '[m.open, document.activeElement.id, told.at(-1)]',
    [false, 'b', 'choose m n'],
  ],
  [
    'tabs: arrows show, over what is disabled',
    tabs,
    ['Tab', 'ArrowRight'],
    '[t.value, document.activeElement.panel, told.at(-1)]',
    ['c', 'c', 'change t'],
  ],
  ['tabs: Home, and Tab leads to the panel', tabs, ['Tab', 'End', 'Home', 'Tab'], 'document.activeElement.name', 'a'],
  [
    'tabs: manual, arrows go and Enter shows',
    drafts,
    ['Tab', 'ArrowRight', 'ArrowRight', 'Enter'],
    '[t.value, told.at(-1)]',
    ['c', 'change t'],
  ],
  [
    'tabs: arrows alone show nothing where they are manual',
    drafts,
    ['Tab', 'ArrowRight'],
    '[t.value, document.activeElement.panel, told]',
    ['', 'b', []],
  ],
  ['tabs: Delete asks to close, not where nothing can be closed', drafts, ['Tab', 'Delete', 'End', 'Delete'], 'told', ['close t a']],
  [
    'tabs: Ctrl+Shift moves, at most to the end, and the focus stays',
    drafts,
    ['Tab', 'Control+Shift+ArrowRight', 'Control+Shift+ArrowRight', 'Control+Shift+ArrowRight'],
    `[[...t.querySelectorAll('ui-tab')].map((each) => each.panel).join(), document.activeElement.panel, told]`,
    ['b,c,a', 'a', ['move t b,a,c', 'move t b,c,a']],
  ],
  ['tabs: what stands beside them is the next stop', drafts, ['Tab', 'Tab'], 'document.activeElement.id', 'novo'],
  [
    'tabs: a panel that is no stop leaves what is in it one',
    '<ui-tabs label="t"><ui-tab panel="a">A</ui-tab><ui-tab-panel name="a" tabindex="-1"><button type="button" id="dentro">x</button></ui-tab-panel></ui-tabs>',
    ['Tab', 'Tab'],
    'document.activeElement.id',
    'dentro',
  ],
  ['tree: arrows', tree, ['Tab', 'ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowUp'], 'document.activeElement.value', 'dados'],
  [
    'tree: ArrowRight opens, then goes in',
    tree,
    ['Tab', 'ArrowRight', 'ArrowRight'],
    '[told[0], document.activeElement.value]',
    ['expand t', 'docs'],
  ],
  [
    'tree: ArrowLeft goes out, then closes',
    tree,
    ['Tab', 'ArrowRight', 'ArrowRight', 'ArrowLeft', 'ArrowLeft'],
    '[document.activeElement.value, document.activeElement.expanded]',
    ['casa', false],
  ],
  ['tree: * opens all', tree, ['Tab', '*'], `document.querySelectorAll('ui-tree-item[expanded]').length`, 2],
  ['tree: Tab reaches what is selected within another', nested, ['Tab', 'Tab'], 'document.activeElement.value', 'fotos'],
  ['tree: it is one stop', nested, ['Tab', 'Tab', 'Tab'], 'document.activeElement.id', 'depois'],
  ['tree: and one on the way back', nested, ['Tab', 'Tab', 'Tab', 'Shift+Tab', 'Shift+Tab'], 'document.activeElement.id', 'antes'],
  [
    'tree: left within another, it is entered there again',
    nested,
    ['Tab', 'Tab', 'ArrowUp', 'Tab', 'Shift+Tab'],
    'document.activeElement.value',
    'docs',
  ],
  ['tree: letters, Enter chooses', tree, ['Tab', 'l', 'Enter'], 't.selected.value', 'lixo'],
  [
    'table: heads sort, without a value last',
    table,
    ['Tab', 'Tab', 'Tab', 'Enter', 'Enter'],
    `[...t.querySelectorAll('tbody tr')].map((row) => row.dataset.id).join('')`,
    'bac',
  ],
  [
    'table: arrows and the space bar',
    table,
    ['Tab', 'Tab', 'Tab', 'Tab', 'ArrowDown', 'Space'],
    '[t.selected, told.at(-1)]',
    [['a'], 'change t'],
  ],
  ['table: with Shift', table, ['Tab', 'Tab', 'Tab', 'Tab', 'Shift+ArrowDown', 'Shift+ArrowDown'], 't.selected', ['b', 'a', 'c']],
  [
    'table: all, and Enter opens',
    table,
    ['Tab', 'Tab', 'Tab', 'Tab', 'Control+a', 'Enter'],
    '[t.selected.length, told.at(-1)]',
    [3, 'open t b'],
  ],
  ['table: the box of the head', table, ['Tab', 'Space'], 't.selected.length', 3],
  ['toolbar: one stop, arrows', bar, ['Tab', 'ArrowRight'], 'document.activeElement.id', 'dois'],
  ['toolbar: a field keeps its own stop', bar, ['Tab', 'ArrowRight', 'Tab', 'Tab'], 'document.activeElement.id', 'depois'],
  ['toolbar: comes back to where it was', bar, ['Tab', 'End', 'Tab', 'Shift+Tab'], 'document.activeElement.id', 'dois'],
  ['toolbar: what is not seen is no stop', narrow, ['Tab', 'ArrowRight'], 'document.activeElement.id', 'tres'],
  ['split: arrows', split, ['Tab', 'ArrowRight', 'ArrowRight', 'ArrowLeft'], '[s.position, told.at(-1)]', [45, 'change s']],
  ['split: Home, End', split, ['Tab', 'Home', 'End'], 's.position', 90],
  ['split: Enter closes and opens again', split, ['Tab', 'Enter', 'Enter'], 's.position', 40],
];
