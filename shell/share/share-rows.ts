/** A single line of the share dialog: a person or a group, the role, and the owner's acts on it. */
import { html, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import '../../sdk/web/ui/person.ts';
import '../../sdk/web/ui/select.ts';
import '../../sdk/web/ui/button.ts';
import { papeisConcedidos, type Papel, type PapelConcedido } from '../../schema/rooms.ts';
import type { RoomGroup, RoomPerson } from '../../schema/wire/rooms.ts';
import { text } from '../i18n/i18n.ts';

export interface RowVerbs {
  readonly key: string;
  readonly busy: boolean;
  /** The act whose second press is waited for. */
  readonly asked: 'remove' | 'hand over' | null;
  change(papel: PapelConcedido): void;
  /** Null: a group owns no room. */
  readonly askOwner: (() => void) | null;
  handOver(): void;
  ask(): void;
  hide(): void;
  remove(): void;
}

/** A group has no colour of its own. */
export const groupMark: TemplateResult = html`<span class="mark" aria-hidden="true">#</span>`;

export function personRow(
  person: RoomPerson,
  { owner, own }: { readonly owner: boolean; readonly own: string },
  verbs: RowVerbs,
): TemplateResult {
  const { usuario, nome, login, iniciais, papel, porNome, porGrupos, declarada } = person;
  const groups = porGrupos.join(', ');
  const by = groups === '' ? '' : text(porNome === null ? 'share.byGroups' : 'share.byGroupsToo', { grupos: groups });
  return html`<li data-key=${verbs.key}>
    <ui-person avatar usuario=${usuario} name=${nome} initials=${iniciais} aria-hidden="true"></ui-person>
    <div class="who">
      <p class="name">${nome}${usuario === own ? ` (${text('share.you')})` : ''}</p>
      <p class="facts">${[login, by].filter((fact) => fact !== '').join(' · ')} ${declaredMark(declarada)}</p>
    </div>
    ${verbsOf({ nome, papel, fixed: !owner || papel === 'dona', removable: porNome !== null }, verbs)}
  </li>`;
}

export function groupRow(group: RoomGroup, { owner }: { readonly owner: boolean }, verbs: RowVerbs): TemplateResult {
  const { grupo, papel, pessoas, declarado } = group;
  return html`<li data-key=${verbs.key}>
    ${groupMark}
    <div class="who">
      <p class="name">${grupo}</p>
      <p class="facts">${text('share.groupSize', { n: pessoas })} ${declaredMark(declarado)}</p>
    </div>
    ${verbsOf({ nome: grupo, papel, fixed: !owner, removable: true }, verbs)}
  </li>`;
}

const declaredMark = (declared: boolean): TemplateResult | typeof nothing =>
  declared ? html`<span class="declared">${text('share.declared')}</span>` : nothing;

interface RowFacts {
  readonly nome: string;
  readonly papel: Papel;
  /** The person who looks can't change it. */
  readonly fixed: boolean;
  readonly removable: boolean;
}

function verbsOf({ nome, papel, fixed, removable }: RowFacts, verbs: RowVerbs): TemplateResult {
  if (fixed) return html`<ui-role papel=${papel}></ui-role>`;
  if (verbs.asked !== null) {
    const isRemoval = verbs.asked === 'remove';
    return html`<div class="verbs" role="group" aria-label=${text(isRemoval ? 'share.removeOne' : 'share.handOverAsk', { nome })}>
      ${isRemoval ? nothing : html`<p class="facts">${text('share.handOverAsk', { nome })}</p>`}
      <ui-button
        variant="danger"
        data-verb="confirm"
        ?disabled=${verbs.busy}
        @click=${() => (isRemoval ? verbs.remove() : verbs.handOver())}
      >
        ${text(isRemoval ? 'share.removeSure' : 'share.handOverSure')}
      </ui-button>
      <ui-button @click=${() => verbs.hide()}>${text('share.cancel')}</ui-button>
    </div>`;
  }
  const chosen = ({ target }: Event): void => {
    const { value } = target as SvcUiSelect;
    if (value === 'dona') verbs.askOwner?.();
    else verbs.change(value as PapelConcedido);
  };
  return html`<div class="verbs">
    <ui-select label=${text('share.roleOf', { nome })} hide-label ?disabled=${verbs.busy} .value=${live(papel)} @change=${chosen}>
      ${papeisConcedidos.map((name) => html`<option value=${name}>${text(`role.${name}`)}</option>`)}
      ${verbs.askOwner === null ? nothing : html`<option value="dona">${text('share.handOver')}</option>`}
    </ui-select>
    ${
      removable
        ? html`<ui-button variant="quiet" label=${text('share.removeOne', { nome })} ?disabled=${verbs.busy} @click=${() => verbs.ask()}>
            ${text('share.remove')}
          </ui-button>`
        : nothing
    }
  </div>`;
}
