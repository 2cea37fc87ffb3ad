/** `svc test-app DIR`: a table on a terminal, one line for each check otherwise, or one value for programs. */
import type { TextLanguage } from '../../schema/texts/reasons.ts';
import { checks, type CheckId, type Finding } from '../test-app/check.ts';
import { promises } from '../test-app/promises.ts';
import { type Judgement, testApp } from '../test-app/run.ts';
import { appFolder } from '../app-folder.ts';
import { terminalLanguage } from '../language.ts';
import { type Format, isForPrograms, lineWidth, plain, printValue, toned, type Tone, wrap, write } from '../output.ts';

const words = {
  pt: {
    pass: 'ok',
    fail: 'FALHA',
    notApplicable: '-',
    notJudged: '?',
    mend: 'conserto',
    of: 'de',
    checks: 'verificações',
    failed: 'com falha',
    notApplying: 'não se aplicam',
    oneNotApplying: 'não se aplica',
    waits: 'não julgado, pois depende do que falhou',
    notJudging: 'sem julgamento',
  },
  en: {
    pass: 'ok',
    fail: 'FAIL',
    notApplicable: '-',
    notJudged: '?',
    mend: 'mend',
    of: 'of',
    checks: 'checks',
    failed: 'failed',
    notApplying: 'do not apply',
    oneNotApplying: 'does not apply',
    waits: 'not judged, since it needs what failed',
    notJudging: 'not judged',
  },
} as const satisfies Readonly<Record<TextLanguage, object>>;

const tones: Readonly<Record<Finding['verdict'], Tone>> = { pass: 'good', fail: 'bad', notApplicable: 'plain', notJudged: 'busy' };

/** Exit 0 when nothing failed. */
export async function runTestApp(dir: string, { output }: { readonly output: Format }): Promise<number> {
  const language = terminalLanguage(process.env);
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => stop.abort());
  const judged = await testApp(appFolder(dir), process.env, stop.signal);
  if (isForPrograms(output)) await printValue(asValue(judged, language), output);
  else write(process.stdout.isTTY ? asTable(judged, language) : asLines(judged, language));
  return judged.findings.some(([, { verdict }]) => verdict === 'fail') ? 1 : 0;
}

/** Splits the findings: checks that were not judged are shown together, on one line. */
function told(findings: Judgement['findings']): { readonly shown: Judgement['findings']; readonly unjudged: readonly CheckId[] } {
  const unjudged = findings.filter(([, { verdict }]) => verdict === 'notJudged').map(([id]) => id);
  return { shown: findings.filter(([, { verdict }]) => verdict !== 'notJudged'), unjudged };
}

/** Text of a finding; a check that passed says what the app does. */
const detailOf = (id: CheckId, { verdict, detail }: Finding, language: TextLanguage): string =>
  verdict === 'pass' ? [promises[id][language], detail[language]].filter((part) => part !== '').join('; ') : detail[language];

function asTable({ findings }: Judgement, language: TextLanguage): string {
  const { shown, unjudged } = told(findings);
  const said = words[language];
  const verdictWidth = Math.max(said.pass.length, said.fail.length);
  const nameWidth = Math.max(...shown.map(([id]) => checks[id][language].length));
  const indent = verdictWidth + nameWidth + 4;
  const rows = shown.map(([id, finding]) => {
    const verdict = toned(said[finding.verdict].padEnd(verdictWidth), tones[finding.verdict]);
    const row =
      `${verdict}  ${checks[id][language].padEnd(nameWidth)}  ${wrap(detailOf(id, finding, language), indent, lineWidth())}`.trimEnd();
    if (finding.verdict !== 'fail') return row;
    return `${row}\n${' '.repeat(indent)}${said.mend}: ${plain(finding.mend[language])}`;
  });
  if (unjudged.length > 0) {
    const names = unjudged.map((id) => checks[id][language]).join(', ');
    rows.push(`${toned(said.notJudged.padEnd(verdictWidth), 'busy')}  ${wrap(`${said.waits}: ${names}`, verdictWidth + 2, lineWidth())}`);
  }
  return `${rows.join('\n')}\n${sum({ findings }, language)}`;
}

export function asLines({ findings }: Pick<Judgement, 'findings'>, language: TextLanguage): string {
  const said = words[language];
  const { shown, unjudged } = told(findings);
  const rows = shown.map(([id, finding]) => {
    const about = detailOf(id, finding, language);
    const detail = about === '' ? '' : `: ${plain(about)}`;
    const mend = finding.verdict === 'fail' ? ` | ${said.mend}: ${plain(finding.mend[language])}` : '';
    return `${said[finding.verdict]} ${id}${detail}${mend}`;
  });
  if (unjudged.length > 0) rows.push(`${said.notJudged} ${said.waits}: ${unjudged.join(', ')}`);
  return `${rows.join('\n')}\n${sum({ findings }, language)}`;
}

function sum({ findings }: Pick<Judgement, 'findings'>, language: TextLanguage): string {
  const said = words[language];
  const failed = findings.filter(([, { verdict }]) => verdict === 'fail').length;
  const passed = findings.filter(([, { verdict }]) => verdict === 'pass').length;
  const without = findings.filter(([, { verdict }]) => verdict === 'notApplicable').length;
  const bad = failed === 0 ? '' : `, ${failed} ${said.failed}`;
  const unjudged = findings.filter(([, { verdict }]) => verdict === 'notJudged').length;
  const open = unjudged === 0 ? '' : `, ${unjudged} ${said.notJudging}`;
  const rest = without === 0 ? '' : `; ${without} ${without === 1 ? said.oneNotApplying : said.notApplying}`;
  return `${passed} ${said.of} ${findings.length - without} ${said.checks} ${said.pass}${bad}${open}${rest}\n`;
}

function asValue({ id, version, findings }: Judgement, language: TextLanguage): unknown {
  const rows = findings.map(([check, finding]) => ({
    check,
    name: checks[check][language],
    verdict: finding.verdict,
    detail: finding.detail[language],
    mend: finding.verdict === 'fail' ? finding.mend[language] : null,
  }));
  return { id, version, ok: rows.every(({ verdict }) => verdict !== 'fail'), checks: rows };
}
