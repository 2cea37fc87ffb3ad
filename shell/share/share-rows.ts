/** One line of the share dialog: a person or a group, the role, and what the owner can do about it. */
import { html, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import { papeisConcedidos, type Papel, type PapelConcedido } from '../../schema/rooms.ts';
import type { RoomGroup, RoomPerson } from '../../schema/wire/rooms.ts';
import { text } from '../i18n/i18n.ts';

export interface RowVerbs {
  readonly key: string;
  readonly busy: boolean;
  /** Whether the second press is waited for. */
  readonly asked: boolean;
  change(papel: PapelConcedido): void;
  ask(): void;
  hide(): void;
  remove(): void;
}

export function personRow(
  person: RoomPerson,
  { owner, own }: { readonly owner: boolean; readonly own: string },
  verbs: RowVerbs,
): TemplateResult {
  const { usuario, nome, login, iniciais, papel, porNome, porGrupos, declarada } = person;
  const groups = porGrupos.join(', ');
  const by = groups === '' ? '' : text(porNome === null ? 'share.byGroups' : 'share.byGroupsToo', { grupos: groups });
  return html`<li data-key=${verbs.key}>
    <span class="mark" aria-hidden="true">${iniciais}</span>
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
    <span class="mark" aria-hidden="true">#</span>
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
  if (fixed) return html`<span class="facts">${text(`role.${papel}`)}</span>`;
  if (verbs.asked)
    return html`<div class="verbs" role="group" aria-label=${text('share.removeOne', { nome })}>
      <button class="button danger" type="button" data-verb="confirm" ?disabled=${verbs.busy} @click=${() => verbs.remove()}>
        ${text('share.removeSure')}
      </button>
      <button class="button quiet" type="button" @click=${() => verbs.hide()}>${text('share.cancel')}</button>
    </div>`;
  return html`<div class="verbs">
    <select
      class="field"
      aria-label=${text('share.roleOf', { nome })}
      ?disabled=${verbs.busy}
      .value=${live(papel)}
      @change=${(event: Event) => verbs.change((event.target as HTMLSelectElement).value as PapelConcedido)}
    >
      ${papeisConcedidos.map((name) => html`<option value=${name} ?selected=${name === papel}>${text(`role.${name}`)}</option>`)}
    </select>
    ${
      removable
        ? html`<button
            class="button quiet"
            type="button"
            aria-label=${text('share.removeOne', { nome })}
            ?disabled=${verbs.busy}
            @click=${() => verbs.ask()}
          >
            ${text('share.remove')}
          </button>`
        : nothing
    }
  </div>`;
}
