/** `svc upgrade --plan [DIR]`: run by the new version, beside the one that is installed. */
import path from 'node:path';
import { SvcError } from '../../schema/errors.ts';
import { versionText } from '../common-options.ts';
import { color, plain, printValue, write } from '../output.ts';
import { rememberedDesired } from '../up/remembered-desired.ts';
import { type DatabaseLook, planUpgrade, type KitChange, type UpgradePlan } from '../upgrade/plan.ts';

interface UpgradeOptions {
  readonly plan?: boolean;
  readonly state: string;
  readonly output: 'table' | 'json' | 'yaml';
}

/** Exit 0 nothing would change, 2 changes, 1 this svc can't go on with what is there. */
export async function runUpgrade(dir: string | undefined, options: UpgradeOptions): Promise<number> {
  if (options.plan !== true)
    throw new SvcError(
      'BAD_REQUEST',
      'svc upgrade only says what would be done, with --plan; to do it, install the package and start the portal with it',
    );
  const state = path.resolve(options.state);
  const desired = dir ?? (await rememberedDesired(state));
  if (desired === null)
    throw new SvcError(
      'BAD_REQUEST',
      `${state} does not say which desired folder its portal has: svc upgrade --plan DIR --state ${options.state}`,
    );
  const plan = await planUpgrade(path.resolve(desired), state);
  if (options.output === 'table') write(`${linesOf(plan).join('\n')}\n`);
  else await printValue(plan, options.output);
  if (plan.errors.length > 0 || [plan.store, plan.rooms].some((database) => database?.isReadable === false)) return 1;
  return isChange(plan) ? 2 : 0;
}

const isChange = ({ store, rooms, kits, apps }: UpgradePlan): boolean =>
  [store, rooms].some((database) => database !== null && database.schema !== database.own) || kits.length + apps.length > 0;

function linesOf(plan: UpgradePlan): readonly string[] {
  const { state, desired, isRunning, kits, apps, errors, warnings } = plan;
  const row = (label: string, text: string): string => `${label.padEnd(8)} ${text}`;
  const portal = isRunning ? 'whose portal runs' : 'while no portal runs';
  const told = [
    `svc ${versionText()} over ${plain(state)}, ${portal}; nothing is changed by looking`,
    row('store', plan.store === null ? 'there is none yet' : databaseLine(plan.store)),
    ...(plan.rooms === null ? [] : [row('rooms', databaseLine(plan.rooms))]),
    ...kitLines(kits).map((text) => row('kits', text)),
    ...apps.map(({ package: name, app, wanted, brought }) =>
      row(
        'apps',
        plain(
          brought === null
            ? `${name}: ${app} does not come with this svc; what is installed stays`
            : `${name}: ${app} ${brought} comes with this svc, ${wanted} is wanted; what is installed stays until ${brought} is`,
        ),
      ),
    ),
    row(
      'folder',
      `${plain(desired)}: ${errors.length === 0 ? 'no error' : color('red', `${errors.length} error(s): what is in force stays`)}`,
    ),
    ...[...errors, ...warnings].map((text) => plain(text)),
  ];
  return [...told, ...backLines(plan).map((text) => row('back', text))];
}

function databaseLine({ at, schema, own, isReadable, touched }: DatabaseLook): string {
  if (!isReadable) {
    const way = 'install that version again or a newer one; or put back a backup of before: svc restore FOLDER --over --yes';
    return color('red', `${plain(at)} is of a newer svc (schema ${schema}, this one knows ${own}) and will be refused: ${way}`);
  }
  if (schema === own) return `${plain(at)}: schema ${schema}, as it is`;
  const tables = touched.map(({ table, rows }) => `${table} (${rows} rows)`).join(', ');
  return `${plain(at)}: schema ${schema} to ${own} at the first start${tables === '' ? '' : `; worked on: ${tables}`}`;
}

function kitLines(kits: readonly KitChange[]): readonly string[] {
  const there = kits.filter(({ from }) => from !== null);
  return kits.map((change) => {
    const { server, from, to, apps, isTooOld } = change;
    const kit = to.length === 0 ? 'the kit of this svc is not in it' : to.join(' or ');
    if (from === null) return plain(`${server}: no kit was seen there; gets ${kit}`);
    const turn = there[0] === change && there.length > 1 ? ', first of all' : there.length > 1 ? ', after the first ran well with it' : '';
    const until = isTooOld ? '; until then no app can be started there' : '';
    return plain(`${server}: ${from} to ${kit}${turn}; ${apps} app(s) run there, and go on${until}`);
  });
}

function backLines({ store, rooms, kits }: UpgradePlan): readonly string[] {
  const lines: string[] = [];
  const changed = [store, rooms].filter((database) => database !== null && database.isReadable && database.schema !== database.own);
  if (changed.length > 0)
    lines.push(
      changed.every((database) => database?.mayGoBack === true)
        ? 'the store: the version of now goes on with it'
        : 'the store: no version of before opens it then. Make a backup first: svc backup FOLDER; back with it: svc restore FOLDER --over --yes',
    );
  if (kits.length > 0) lines.push('kits: the version of before brings its own to each server again, in the same order');
  return lines;
}
