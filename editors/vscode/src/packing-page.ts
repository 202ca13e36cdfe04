import { escaped } from './html';

/** The result of `nirls/packing`. */
export interface PackingAnswer {
  readonly pipelines: readonly PackedPipeline[];
}

export interface PackedPipeline {
  readonly pipeline: string;
  readonly reason: string;
  readonly stages: readonly { readonly uri: string; readonly file: string; readonly number: number; readonly line: number; readonly stage: string }[];
  readonly pairs: readonly PackedPair[];
}

export interface PackedPair {
  readonly producer: string | null;
  readonly consumer: string | null;
  readonly summary: string;
  readonly obstacle: string | null;
  readonly before: PackingTable;
  readonly after: PackingTable;
  readonly ledger: Ledger;
}

/** What happened to each scalar; `couldGo` counts those that a single condition keeps. */
export interface Ledger {
  readonly lines: readonly LedgerLine[];
  readonly notes: readonly { readonly step: string; readonly message: string }[];
  readonly couldGo: string | null;
}

export interface LedgerLine {
  readonly varying: string;
  readonly value: string | null;
  readonly fate: string;
  readonly place: string | null;
  readonly reason: string | null;
}

export interface PackingTable {
  readonly cells: readonly Cell[];
}

/** One scalar varying; `component` counts from 0. */
export interface Cell {
  readonly slot: string;
  readonly component: number;
  readonly half: 'lo' | 'hi' | null;
  readonly name: string;
  readonly group: string;
  readonly bits: number;
  readonly label: string;
  readonly value: string | null;
  readonly interpolation: string | null;
  readonly indirect: boolean;
  readonly cameFrom: string | null;
}

/** Colours by group name of the server: a theme colour and a fallback. */
const COLORS: Readonly<Record<string, readonly [string, string]>> = {
  interpolated: ['charts-green', '#388a34'],
  flat: ['charts-yellow', '#b89500'],
  convergent: ['terminal-ansiCyan', '#0598bc'],
  color: ['terminal-ansiBrightMagenta', '#bc05bc'],
  explicit: ['terminal-ansiBrightYellow', '#b5ba00'],
  'per primitive': ['terminal-ansiBrightBlue', '#0451a5'],
  'per vertex': ['charts-green', '#388a34'],
  'read across invocations': ['terminal-ansiBrightGreen', '#14ce14'],
  patch: ['charts-blue', '#1a85ff'],
  'transform feedback only': ['charts-purple', '#652d90'],
  'no varying': ['charts-orange', '#d18616'],
  'fixed hardware': ['disabledForeground', '#808080'],
  dead: ['charts-red', '#e51400'],
  'never written': ['terminal-ansiBrightRed', '#cd3131'],
};

const STYLE = `
body { font-family: var(--vscode-font-family, sans-serif); color: var(--vscode-foreground, #333); padding: 0 1em 1em; }
h1 { font-size: 1.2em; } h2 { font-size: 1.05em; margin-top: 1.6em; }
.tables { display: flex; flex-wrap: wrap; gap: 2em; }
table { border-collapse: separate; border-spacing: 3px; }
caption { text-align: left; font-weight: bold; padding: 0.3em 0; }
th { font-weight: normal; text-align: left; padding-right: 0.6em; opacity: 0.8; }
td { min-width: 5.5em; vertical-align: top; padding: 0; border: 1px dashed var(--vscode-widget-border, #8884); border-radius: 3px; }
td .cell { padding: 0.25em 0.5em; border-radius: 3px; border-left: 5px solid transparent; }
td .cell + .cell { margin-top: 2px; }
.cell code { font-family: var(--vscode-editor-font-family, monospace); background: none; padding: 0; color: inherit; display: block; overflow-wrap: anywhere; }
.cell small { opacity: 0.85; }
.cell a { color: inherit; text-decoration: none; } .cell a:hover, .cell a:focus { text-decoration: underline; }
.ledger td { border: none; padding: 0.15em 0.8em 0.15em 0; min-width: 0; } .ledger tr:target td { background: var(--vscode-list-activeSelectionBackground, #0060c022); }
summary { cursor: pointer; padding: 0.4em 0; }
.legend { display: flex; flex-wrap: wrap; gap: 0.6em; list-style: none; padding: 0; }
.legend li { padding: 0.15em 0.6em; border-left: 5px solid transparent; border-radius: 3px; }
`;

/**
 * The page that shows the packing. It has no scripts and loads nothing; only the style with this nonce is allowed.
 * Text from a dump is escaped.
 */
export function packingPage(answer: PackingAnswer, nonce: string): string {
  const groups = [...new Set(answer.pipelines.flatMap(({ pairs }) => pairs.flatMap((pair) => groupsOf(pair))))];
  const body = answer.pipelines.length === 0 ? NOTHING : answer.pipelines.map((one, number) => pipelineSection(one, `ledger-${String(number)}`)).join('\n');
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'nonce-${escaped(nonce)}'">
<title>Packing of varyings</title>
<style nonce="${escaped(nonce)}">${STYLE}${groups.map(styleOf).join('\n')}</style>
</head>
<body>
${body}
</body>
</html>`;
}

const NOTHING = '<p>The dump at the cursor is linked with no other stage, so there are no varyings to show.</p>';

function groupsOf(pair: PackedPair): string[] {
  return [...pair.before.cells, ...pair.after.cells].map(({ group }) => group);
}

function pipelineSection({ pipeline, reason, stages, pairs }: PackedPipeline, id: string): string {
  const names = stages.map(({ stage, file, number }) => `${stage} ${file}#${String(number + 1)}`).join(' → ');
  return [`<h1>${escaped(pipeline)}</h1>`, `<p>${escaped(names)} (${escaped(reason)})</p>`, ...pairs.map((pair, number) => pairSection(pair, `${id}-${String(number)}`))].join('\n');
}

function pairSection(pair: PackedPair, id: string): string {
  const title = `<h2>${escaped(pair.summary)}</h2>`;
  if (pair.obstacle !== null && pair.before.cells.length === 0) {
    return title;
  }
  const legend = [...new Set(groupsOf(pair))].map((group) => `<li class="${classOf(group)}">${escaped(group)}</li>`);
  const { lines } = pair.ledger;
  const before = rowsByName(lines, id, ({ varying }) => varying);
  const after = rowsByName(lines, id, ({ place }) => place);
  const tables =
    pair.obstacle === null ? tableOf('Before', pair.before, before) + tableOf('After', pair.after, after) : tableOf('Slots', pair.before, before);
  return `${title}
<div class="tables">${tables}</div>
<ul class="legend">${legend.join('')}</ul>
${ledgerOf(pair.ledger, id)}`;
}

/** The ids of the ledger rows by the name of a scalar, before or after. */
function rowsByName(lines: readonly LedgerLine[], id: string, name: (line: LedgerLine) => string | null): ReadonlyMap<string, string> {
  return new Map(lines.flatMap((line, number) => [[name(line), rowId(id, number)] as const]).filter((entry): entry is [string, string] => entry[0] !== null));
}

function rowId(id: string, number: number): string {
  return `${id}-${String(number)}`;
}

/** The ledger, open, so that links from the tables reach its rows. */
function ledgerOf({ lines, notes, couldGo }: Ledger, id: string): string {
  if (lines.length === 0) {
    return '';
  }
  const rows = lines.map(({ varying, value, fate, place, reason }, number) => {
    const columns = [varying, value ?? '', fate, place ?? '', reason ?? ''].map((text) => `<td>${escaped(text)}</td>`);
    return `<tr id="${rowId(id, number)}">${columns.join('')}</tr>`;
  });
  const remarks = [...notes.map(({ step, message }) => `${step}: ${message}`), ...(couldGo === null ? [] : [couldGo])];
  return `<details open><summary>Ledger</summary>
<table class="ledger"><tr><th>varying</th><th>value</th><th>fate</th><th>place</th><th>why</th></tr>${rows.join('')}</table>
${remarks.map((text) => `<p>${escaped(text)}</p>`).join('')}</details>`;
}

function tableOf(title: string, { cells }: PackingTable, rowOf: ReadonlyMap<string, string>): string {
  const slots = [...new Set(cells.map(({ slot }) => slot))];
  const rows = slots.map((slot) => {
    const columns = [0, 1, 2, 3].map((component) =>
      cells.filter((cell) => cell.slot === slot && cell.component === component).map((cell) => cellOf(cell, rowOf.get(cell.name))).join(''),
    );
    return `<tr><th scope="row">${escaped(slot)}</th>${columns.map((column) => `<td>${column}</td>`).join('')}</tr>`;
  });
  return `<table><caption>${title}</caption><tr><th></th><th>x</th><th>y</th><th>z</th><th>w</th></tr>${rows.join('')}</table>`;
}

function cellOf(cell: Cell, row: string | undefined): string {
  const label = `${cell.label === '' ? '?' : cell.label}${cell.indirect ? '[]' : ''}`;
  const details = [cell.half, cell.bits === 32 ? null : `${String(cell.bits)}-bit`, cell.group].filter((word) => word !== null);
  const title = [
    `${cell.name}: ${details.join(' ')}`,
    cell.interpolation,
    cell.value === null ? null : `stores ${cell.value}`,
    cell.cameFrom === null ? null : `was ${cell.cameFrom}`,
    cell.indirect ? 'indexed with what is not constant: keeps its place' : null,
  ];
  const text = title.filter((word) => word !== null).join(', ');
  return `<div class="cell ${classOf(cell.group)}" title="${escaped(text)}"><code>${row === undefined ? escaped(label) : `<a href="#${row}">${escaped(label)}</a>`}</code><small>${escaped(details.join(' '))}</small></div>`;
}

function classOf(group: string): string {
  return `group-${group.replace(/[^a-z]+/g, '-')}`;
}

function styleOf(group: string): string {
  const [theme, color] = COLORS[group] ?? ['foreground', '#888888'];
  const tint = `var(--vscode-${theme}, ${color})`;
  return `.${classOf(group)} { border-left-color: ${tint} !important; background: color-mix(in srgb, ${tint} 25%, transparent); }`;
}
