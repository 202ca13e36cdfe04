/** The result of `nirls/timeline`, and texts for it. Lines and dumps count from 0. */
export interface Timeline {
  version: number;
  shaders: ShaderTimeline[];
}

export interface ShaderTimeline {
  number: number;
  title: string;
  stage: string;
  /** How many passes changed nothing. */
  hidden: number;
  first: Counts | null;
  last: Counts | null;
  passes: Pass[];
}

export interface Pass {
  number: number;
  name: string;
  change: Change;
  line: number;
  dump: number | null;
  /** The snapshot before it. */
  previous: number | null;
  before: Counts | null;
  after: Counts | null;
  /** Whether the shader computes the same as before; null while that is not known. */
  verdict?: Verdict | null;
  /** The findings in the snapshot; null without any. */
  findings?: { count: number; worst: 'error' | 'warning' | 'information' | 'hint' } | null;
}

export interface Verdict {
  verdict: 'equivalent' | 'different' | 'unchecked' | 'unchanged';
  reason: string;
}

export type Change = 'first' | 'code' | 'declarations' | 'header' | 'none' | 'skipped';

export interface Counts {
  instructions: number;
  blocks: number;
  inputs: number;
  outputs: number;
  registers: number;
}

const SHORT: readonly (readonly [keyof Counts, string])[] = [
  ['instructions', 'instructions'],
  ['inputs', 'inputs'],
  ['outputs', 'outputs'],
  ['registers', 'registers'],
];

/** The changed counts, `78 → 77 instructions, 12 → 9 inputs`; only the instructions if none changed. */
export function describeCounts(before: Counts | null, after: Counts | null): string {
  if (after === null) {
    return '';
  }
  const old = before ?? after;
  const changed = SHORT.filter(([name]) => old[name] !== after[name]);
  if (changed.length === 0) {
    return `${String(after.instructions)} instructions`;
  }
  return changed.map(([name, word]) => `${String(old[name])} → ${String(after[name])} ${word}`).join(', ');
}

/** The mark of a verdict in a list; nothing for passes that are fine or not checked yet. */
export function verdictMark(pass: Pass): string {
  switch (pass.verdict?.verdict) {
    case 'different':
      return '✗ different';
    case 'unchecked':
      return '? unchecked';
    case 'equivalent':
      return '✓';
    default:
      return '';
  }
}

const WORDS: Record<Change, string> = {
  first: 'first snapshot',
  code: 'changed the code',
  declarations: 'changed declarations only',
  header: 'changed the header only',
  none: 'changed nothing',
  skipped: 'was skipped (NIR_SKIP)',
};

/** The effect of a pass as a sentence, for a tooltip and for screen readers. Plain text. */
export function describePass(pass: Pass, pressure?: string): string {
  const counts = [describeCounts(pass.before, pass.after), pressure === undefined ? '' : `register pressure ${pressure}`];
  const shown = counts.filter((text) => text !== '').join(', ');
  const verdict = pass.verdict == null ? '' : `\n${pass.verdict.verdict}: ${pass.verdict.reason}`;
  const findings = pass.findings == null ? '' : `\n${String(pass.findings.count)} findings, the worst: ${pass.findings.worst}`;
  return `${pass.name}: ${WORDS[pass.change]}${shown === '' ? '' : ` (${shown})`}${verdict}${findings}`;
}

/** Whether there is a diff to show. */
export function hasDiff(pass: Pass): pass is Pass & { dump: number; previous: number } {
  return pass.dump !== null && pass.previous !== null;
}
