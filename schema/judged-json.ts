/** A JSON file that a person wrote, judged by its shape and by rules of its own, with the places of what is wrong. */
import { type FileReport, type Problem, pointer, toReport } from './findings.ts';
import { decodeText } from './positions/decode.ts';
import { readJson } from './positions/json.ts';
import { locate, materialize } from './positions/node.ts';
import { type Shape, shapeProblems } from './shape.ts';

/** `path`: of the value that is wrong. */
export type ReportProblem = (code: Problem['code'], path: readonly (string | number)[], message: string) => void;

interface Rules<Value> {
  readonly bytesMax: number;
  readonly shape: Shape;
  /** Called for a value of that shape. */
  readonly judge: (value: Value, report: ReportProblem) => void;
}

/** `value` is null exactly when there are errors. */
export function judgeJson<Value>(
  file: string,
  bytes: Uint8Array | string,
  { bytesMax, shape, judge }: Rules<Value>,
): { readonly report: FileReport; readonly text: string; readonly value: Value | null } {
  const { text, problems } = decodeText(bytes, bytesMax);
  const { node, problems: syntax } = problems.length > 0 ? { node: null, problems } : readJson(text);
  if (!node) return { report: toReport(file, text, syntax), text, value: null };
  const found: Problem[] = [];
  const value = materialize(node, found) as Value;
  found.push(...shapeProblems(shape, value, node));
  if (found.length === 0)
    judge(value, (code, path, message) =>
      found.push({ code, path: pointer(path), span: locate(node, path.map(String), 'value'), message }),
    );
  const report = toReport(file, text, found);
  return { report, text, value: report.ok ? value : null };
}
