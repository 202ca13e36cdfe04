/** The result of `nirls/snapshotDiff`. Lines count from 0. */
export interface SnapshotDiff {
  before: string;
  after: string;
  same: boolean;
  /** The first lines of code that changed; null if no code changed. */
  first: { before: number; after: number } | null;
  hunks: Hunk[];
  /** The line in the document of each line of the texts; null without one. */
  beforeLines: (number | null)[];
  afterLines: (number | null)[];
  /** By function: the number in the second dump of a value with another number in its text. */
  numbers: Record<string, Record<string, number>>;
}

/** A run of lines, as [first, behind the last]. */
export interface Hunk {
  equal: boolean;
  before: [number, number];
  after: [number, number];
}

/** A line of one side. `line` is its line in the document; null without one. */
export interface Side {
  text: string;
  number: number;
  line: number | null;
  function: string;
}

/** A row of the side-by-side diff. A `gap` stands for `hidden` equal lines, which `rows` has. */
export interface DiffRow {
  kind: 'equal' | 'changed' | 'gap';
  before: Side | undefined;
  after: Side | undefined;
  hidden?: DiffRow[];
}

/** Equal lines around changes. */
const CONTEXT = 4;

/** The rows of a diff; long runs of equal lines are gaps. */
export function diffRows(diff: SnapshotDiff): DiffRow[] {
  const before = sidesOf(diff.before, diff.beforeLines);
  const after = sidesOf(diff.after, diff.afterLines);
  return diff.hunks.flatMap((hunk, position) => {
    const left = before.slice(...hunk.before);
    const right = after.slice(...hunk.after);
    if (!hunk.equal) {
      return changedRows(left, right);
    }
    const rows = left.map((side, index): DiffRow => ({ kind: 'equal', before: side, after: right[index] }));
    return withGap(rows, position === 0, position === diff.hunks.length - 1);
  });
}

/** The index of the first row of code that changed; of the first change of anything else; 0 without one. */
export function firstChange(rows: readonly DiffRow[], diff: SnapshotDiff): number {
  const { first } = diff;
  const isFirst = ({ before, after }: DiffRow): boolean =>
    first !== null && (before?.number === first.before || after?.number === first.after);
  const ofCode = first === null ? -1 : rows.findIndex((row) => row.kind === 'changed' && isFirst(row));
  return Math.max(ofCode === -1 ? rows.findIndex(({ kind }) => kind === 'changed') : ofCode, 0);
}

/** The start of the next run of changes behind a row, or of the one before it; undefined at the end. */
export function nextChange(rows: readonly DiffRow[], from: number, step: 1 | -1): number | undefined {
  const starts = rows.flatMap(({ kind }, index) => (kind === 'changed' && rows[index - 1]?.kind !== 'changed' ? [index] : []));
  return step === 1 ? starts.find((start) => start > from) : starts.findLast((start) => start < from);
}

/** How many lines a diff removes and adds. */
export function describeDiff(rows: readonly DiffRow[]): string {
  const changed = rows.filter(({ kind }) => kind === 'changed');
  const removed = changed.filter(({ before }) => before !== undefined).length;
  const added = changed.filter(({ after }) => after !== undefined).length;
  return removed + added === 0 ? 'no difference' : `${lines(removed)} removed, ${lines(added)} added`;
}

function lines(count: number): string {
  return count === 1 ? '1 line' : `${String(count)} lines`;
}

/** The number of a value of the second text in its dump. */
export function ownNumber(diff: SnapshotDiff, side: Side, shown: number): number {
  return diff.numbers[side.function]?.[String(shown)] ?? shown;
}

const DEFINED = /^\s*(?:con |div )?[^=%]*?((?:%|ssa_)\d+)(?:\.\S+)?\s+=/;

/** The value that a line defines, such as `%12`. */
export function definedValue(text: string): string | undefined {
  return DEFINED.exec(text)?.[1];
}

export interface Token {
  text: string;
  kind: 'value' | 'comment' | 'divergent' | 'name' | 'number' | 'plain';
  /** Whether the other side of the row has another text here. */
  differs: boolean;
}

const TOKEN = /(\/\/.*$)|((?:%|\bssa_)\d+)|(\bdiv\b)|((?<= = )@?[a-z_][a-z_0-9!]*|@[a-z_0-9]+)|(\b0x[0-9a-f]+\b|-?\b\d+\.\d+\b)/g;
const KINDS = ['comment', 'value', 'divergent', 'name', 'number'] as const;

/** The tokens of a line, to be coloured; those that the `other` side of the row does not have are marked. */
export function tokensOf(text: string, other: string | undefined): Token[] {
  const tokens = split(text);
  if (other === undefined) {
    return tokens;
  }
  const others = split(other).map((token) => token.text);
  const words = tokens.map((token) => token.text);
  let start = 0;
  while (start < words.length && start < others.length && words[start] === others[start]) {
    start += 1;
  }
  let end = 0;
  while (end < Math.min(words.length, others.length) - start && words.at(-1 - end) === others.at(-1 - end)) {
    end += 1;
  }
  return tokens.map((token, index) => ({ ...token, differs: index >= start && index < tokens.length - end }));
}

function split(text: string): Token[] {
  const tokens: Token[] = [];
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    if (match.index > end) {
      tokens.push({ text: text.slice(end, match.index), kind: 'plain', differs: false });
    }
    const kind = KINDS.find((_, group) => match[group + 1] !== undefined) ?? 'plain';
    tokens.push({ text: match[0], kind, differs: false });
    end = match.index + match[0].length;
  }
  return end < text.length ? [...tokens, { text: text.slice(end), kind: 'plain', differs: false }] : tokens;
}

function sidesOf(text: string, lines: readonly (number | null)[]): Side[] {
  let name = '';
  return text
    .replace(/\n$/, '')
    .split('\n')
    .map((line, number) => {
      name = /^impl (\S+)/.exec(line)?.[1] ?? name;
      return { text: line, number, line: lines[number] ?? null, function: name };
    });
}

/** Lines that define the same value stand beside each other. */
function changedRows(left: readonly Side[], right: readonly Side[]): DiffRow[] {
  const rows: DiffRow[] = [];
  const places = new Map(right.map((side, place) => [definedValue(side.text), place]));
  let waiting: Side[] = [];
  let next = 0;
  const flush = (until: number): void => {
    const others = right.slice(next, until);
    for (let index = 0; index < Math.max(waiting.length, others.length); index += 1) {
      rows.push({ kind: 'changed', before: waiting[index], after: others[index] });
    }
    waiting = [];
    next = until;
  };
  for (const side of left) {
    const value = definedValue(side.text);
    const place = value === undefined ? undefined : places.get(value);
    if (place === undefined || place < next) {
      waiting.push(side);
      continue;
    }
    flush(place);
    rows.push({ kind: 'changed', before: side, after: right[place] });
    next = place + 1;
  }
  flush(right.length);
  return rows;
}

function withGap(rows: DiffRow[], isFirst: boolean, isLast: boolean): DiffRow[] {
  const start = isFirst ? 0 : CONTEXT;
  const end = isLast ? rows.length : rows.length - CONTEXT;
  if (end - start < 2) {
    return rows;
  }
  return [...rows.slice(0, start), { kind: 'gap', before: undefined, after: undefined, hidden: rows.slice(start, end) }, ...rows.slice(end)];
}
