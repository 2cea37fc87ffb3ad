/**
 * Rules of the manifest that JSON Schema can't say (rules.ts), in a sentence each, for who reads the published schema. `at` is the place
 * of the field: `[]` is an item of a list, `*` any name; '' is the root. Weights are in findings.ts. A test holds the codes against rules.ts.
 */
import { limits } from '../limits.ts';
import type { FindingCode } from '../findings.ts';

interface RuleText {
  readonly code: FindingCode;
  readonly at: string;
  readonly says: string;
}

export const ruleTexts: readonly RuleText[] = [
  { code: 'ID_TOO_LONG', at: 'id', says: `at most ${limits.appIdCharsMax} characters` },
  { code: 'NOT_A_HOST_NAME', at: 'id', says: 'no "-" first or last, and not "xn--" first' },
  {
    code: 'SERVER_SCOPE_ID',
    at: 'id',
    says: `with "escopo": "servidor" at most ${limits.serverScopeIdCharsMax} characters`,
  },
  { code: 'NOT_SEMVER', at: 'version', says: 'MAJOR.MINOR.PATCH' },
  { code: 'SERVER_SCOPE_KIND', at: 'escopo', says: '"servidor" needs "kind": "service"' },
  { code: 'NOT_CALLABLE', at: 'provides', says: 'without an entry in "capacidades" the bridge can not call it' },
  { code: 'OWN_CAPABILITY', at: 'requires', says: 'an app is never answered by itself: not what is in "provides"' },
  { code: 'OWN_CAPABILITY', at: 'usa', says: 'an app is never answered by itself: not what is in "provides"' },
  { code: 'NOT_PROVIDED', at: 'capacidades.*', says: 'ignored unless it is in "provides"' },
  { code: 'ROUTE_SEGMENT', at: 'capacidades.*.rota', says: 'no "." and no ".." as a part' },
  { code: 'MENU_ITEM_OMITTED', at: 'contributes.contextMenu[]', says: 'one that is not valid is left out, its siblings stay' },
  { code: 'OWN_TYPE_NOT_OPENED', at: 'opens.proprios[].extensao', says: 'also in "opens.extensions"' },
  { code: 'DUPLICATE_NAME', at: 'opens.proprios[].extensao', says: 'one type for an extension' },
  { code: 'BADGE_CONTRAST', at: 'opens.proprios[].cor', says: `contrast with white at least ${limits.badgeContrastMin}:1` },
  { code: 'PUBLIC_SUFFIX', at: 'opens.urls[]', says: 'no wildcard over a public suffix, as *.co.uk' },
  { code: 'DUPLICATE_NAME', at: 'motores[].nome', says: 'each name once' },
  { code: 'DUPLICATE_NAME', at: 'secrets[].name', says: 'each name once' },
  {
    code: 'RESERVED_NAME',
    at: 'secrets[].name',
    says: 'not SVC_APP_ID, SVC_APP_SOCKET or SVC_APP_INSTALLED_HASH, by which the system finds and addresses the app',
  },
  { code: 'TRANSPORT', at: 'backend.transport', says: '"tcp" was removed: the backend listens on the unix socket in SVC_APP_SOCKET' },
  { code: 'HEALTHCHECK_PATH', at: 'backend.healthcheckPath', says: 'no host, no spaces' },
  { code: 'PATH_ESCAPES', at: '', says: 'paths of files stay in the package: not absolute, no "..", no backslash' },
  { code: 'ICON_TYPE', at: 'icon', says: 'svg, png or jpg' },
  {
    code: 'CONTROL_CHARACTER',
    at: '',
    says: 'texts that people see hold no control characters and are not empty of visible ones; names, titles and labels have one line',
  },
  { code: 'HAS_NO_EFFECT', at: '', says: 'a field that does nothing beside the others, or could never match, is warned about' },
];
