/** `svc test-app DIR`: a table on a terminal, one line for each check otherwise, or one value for programs. */
import type { TextLanguage } from '../../schema/texts/reasons.ts';
import { checks, type Finding } from '../test-app/check.ts';
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

function asTable({ findings }: Judgement, language: TextLanguage): string {
  const said = words[language];
  const verdictWidth = Math.max(said.pass.length, said.fail.length);
  const nameWidth = Math.max(...findings.map(([id]) => checks[id][language].length));
  const indent = verdictWidth + nameWidth + 4;
  const rows = findings.map(([id, finding]) => {
    const verdict = toned(said[finding.verdict].padEnd(verdictWidth), tones[finding.verdict]);
    const row = `${verdict}  ${checks[id][language].padEnd(nameWidth)}  ${wrap(finding.detail[language], indent, lineWidth())}`.trimEnd();
    if (finding.verdict !== 'fail') return row;
    return `${row}\n${' '.repeat(indent)}${said.mend}: ${plain(finding.mend[language])}`;
  });
  return `${rows.join('\n')}\n${sum({ findings }, language)}`;
}

function asLines({ findings }: Judgement, language: TextLanguage): string {
  const said = words[language];
  const rows = findings.map(([id, finding]) => {
    const detail = finding.detail[language] === '' ? '' : `: ${plain(finding.detail[language])}`;
    const mend = finding.verdict === 'fail' ? ` | ${said.mend}: ${plain(finding.mend[language])}` : '';
    return `${said[finding.verdict]} ${id}${detail}${mend}`;
  });
  return `${rows.join('\n')}\n${sum({ findings }, language)}`;
}

function sum({ findings }: Pick<Judgement, 'findings'>, language: TextLanguage): string {
  const said = words[language];
  const failed = findings.filter(([, { verdict }]) => verdict === 'fail').length;
  const passed = findings.filter(([, { verdict }]) => verdict === 'pass').length;
  const without = findings.filter(([, { verdict }]) => verdict === 'notApplicable').length;
  const bad = failed === 0 ? '' : `, ${failed} ${said.failed}`;
  const rest = without === 0 ? '' : `; ${without} ${without === 1 ? said.oneNotApplying : said.notApplying}`;
  return `${passed} ${said.of} ${findings.length - without} ${said.checks} ${said.pass}${bad}${rest}\n`;
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
