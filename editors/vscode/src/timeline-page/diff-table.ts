import { definedValue, diffRows, firstChange, nextChange, ownNumber, tokensOf, type DiffRow, type Side, type SnapshotDiff, type Token } from '../snapshot-diff';
import type { BlamedLine, ValueHistory } from '../timeline-messages';
import { byId, element } from './elements';

/** Rows drawn at once; more on request. */
const MOST_ROWS = 3000;

/** A value that was clicked: its number in its own dump, and the side that it is on. */
export interface ClickedValue {
  side: 'before' | 'after';
  value: string;
  function: string;
}

/** The table with the differences of two snapshots, or with the blamed lines of one. One row has the cursor. */
export class DiffTable {
  private readonly content = byId('content', HTMLDivElement);
  private diff: SnapshotDiff | undefined;
  private dumps = { before: -1, after: -1 };
  private rows: DiffRow[] = [];
  private blamed: readonly BlamedLine[] = [];
  private elements: HTMLElement[] = [];
  private cursor = 0;
  private shown = MOST_ROWS;

  constructor(
    private readonly events: {
      follow(value: ClickedValue): void;
      open(line: number): void;
      goToDump(dump: number): void;
    },
  ) {
    this.content.addEventListener('keydown', (event) => {
      this.pressed(event);
    });
  }

  /** Draws a diff with the cursor on its first line of code that changed; the rows of the diff. */
  showDiff(diff: SnapshotDiff, before: number, after: number, history: ValueHistory | undefined): readonly DiffRow[] {
    this.diff = diff;
    this.dumps = { before, after };
    this.rows = diffRows(diff);
    this.shown = MOST_ROWS;
    this.draw(history);
    if (!this.goToValue(history)) {
      this.moveTo(firstChange(this.rows, diff), 'center');
    }
    return this.rows;
  }

  /** Moves the cursor to the line that defines a followed value, in the second snapshot if that has it; whether there is one. */
  goToValue(history: ValueHistory | undefined): boolean {
    for (const side of ['after', 'before'] as const) {
      const number = history?.numbers[String(this.dumps[side])];
      if (number == null) {
        continue;
      }
      const defines = (row: DiffRow): boolean => this.defined(row, side) === number;
      const gap = this.rows.find(({ hidden }) => hidden?.some(defines));
      if (gap?.hidden !== undefined) {
        this.rows.splice(this.rows.indexOf(gap), 1, ...gap.hidden);
        this.draw(history);
      }
      const place = this.rows.findIndex(defines);
      if (place >= 0) {
        this.moveTo(place, 'center');
        return true;
      }
    }
    return false;
  }

  /** The number, in its own dump, of the value that a row defines on a side. */
  private defined(row: DiffRow, name: 'before' | 'after'): number | undefined {
    const side = row[name];
    const value = side === undefined ? undefined : definedValue(side.text);
    return side === undefined || value === undefined ? undefined : Number(this.ownValue(name, side, value).replace(/\D/g, ''));
  }

  /** Draws the lines of a dump with the passes that changed them last. */
  showBlame(lines: readonly BlamedLine[]): void {
    this.clear();
    this.blamed = lines;
    this.content.classList.add('blame');
    this.elements = lines.map((blamed, index) => {
      const { pass, number, event, text, summary } = blamed;
      const who = element('span', { class: 'who', attributes: { role: 'gridcell', title: summary } }, `${String(number)} ${pass}`);
      who.addEventListener('click', () => {
        this.events.goToDump(blamed.dump);
      });
      const code = element('span', { class: 'code', attributes: { role: 'gridcell' } });
      code.append(...tokensOf(text, undefined).map((token) => this.token(token, undefined, undefined)));
      const line = element('span', { class: 'line', attributes: { role: 'gridcell' } }, event);
      return this.rowElement('row', index, [who, line, code], `${text}; ${summary}`);
    });
    this.content.replaceChildren(...this.elements);
    this.moveTo(0, 'nearest');
  }

  /** Draws a text instead of a diff. */
  showText(text: string): void {
    this.clear();
    this.content.replaceChildren(element('p', { class: 'empty' }, text));
  }

  /** Marks the tokens of a followed value on both sides. */
  markValue(history: ValueHistory | undefined): void {
    for (const [side, dump] of [['before', this.dumps.before], ['after', this.dumps.after]] as const) {
      const number = history?.numbers[String(dump)];
      for (const token of this.content.querySelectorAll<HTMLElement>(`.${side} .value`)) {
        token.classList.toggle('followed', number != null && token.dataset['number'] === String(number));
      }
    }
  }

  /** Moves the cursor to the next or previous change. */
  step(direction: 1 | -1): void {
    const place = nextChange(this.rows, this.cursor, direction);
    if (place !== undefined) {
      this.moveTo(place, 'center');
    }
  }

  /** The line of the log at the cursor. */
  get line(): number | undefined {
    const row = this.rows[this.cursor];
    return row?.after?.line ?? row?.before?.line ?? this.blamed[this.cursor]?.line ?? undefined;
  }

  private clear(): void {
    this.diff = undefined;
    this.rows = [];
    this.blamed = [];
    this.elements = [];
    this.cursor = 0;
    this.content.classList.remove('blame');
  }

  private draw(history: ValueHistory | undefined): void {
    this.content.classList.remove('blame');
    this.blamed = [];
    this.elements = this.rows.slice(0, this.shown).map((row, index) => this.row(row, index, history));
    const more = this.rows.length - this.shown;
    const button = element('button', { attributes: { type: 'button' } }, `Show ${String(more)} more lines`);
    button.addEventListener('click', () => {
      this.shown = this.rows.length;
      this.draw(history);
      this.moveTo(this.cursor, 'nearest');
    });
    this.content.replaceChildren(...this.elements, ...(more > 0 ? [button] : []));
    this.markValue(history);
  }

  private row(row: DiffRow, index: number, history: ValueHistory | undefined): HTMLElement {
    const { hidden } = row;
    if (hidden !== undefined) {
      const button = element('button', { attributes: { type: 'button', tabindex: '-1' } }, `${String(hidden.length)} unchanged lines`);
      const open = (): void => {
        this.rows.splice(this.rows.indexOf(row), 1, ...hidden);
        this.draw(history);
        this.moveTo(this.cursor, 'nearest');
      };
      button.addEventListener('click', open);
      const cell = element('span', { attributes: { role: 'gridcell' } }, button);
      return this.rowElement('gap', index, [cell], `${String(hidden.length)} unchanged lines`);
    }
    const cells = [...this.cells('before', row.before, row.after), ...this.cells('after', row.after, row.before)];
    const label =
      row.kind === 'equal'
        ? (row.after?.text ?? '')
        : [row.before && `removed ${row.before.text}`, row.after && `added ${row.after.text}`].filter(Boolean).join('; ');
    return this.rowElement(`row ${row.kind}`, index, cells, label);
  }

  private rowElement(name: string, index: number, cells: HTMLElement[], label: string): HTMLElement {
    const attributes = { role: 'row', id: `row-${String(index)}`, 'aria-label': label.replace(/\s+/g, ' ') };
    const made = element('div', { class: name, attributes }, ...cells);
    made.addEventListener('mousedown', () => {
      this.moveTo(this.elements.indexOf(made), 'nearest');
    });
    return made;
  }

  private cells(name: 'before' | 'after', side: Side | undefined, other: Side | undefined): HTMLElement[] {
    const none = side === undefined ? ' none' : '';
    const number = side?.line === undefined || side.line === null ? '' : String(side.line + 1);
    const line = element('span', { class: `line ${name}${none}`, attributes: { role: 'gridcell' } }, number);
    const code = element('span', { class: `code ${name}${none}`, attributes: { role: 'gridcell' } });
    if (side !== undefined) {
      code.append(...tokensOf(side.text, other?.text).map((token) => this.token(token, name, side)));
    }
    return [line, code];
  }

  private token(token: Token, name: 'before' | 'after' | undefined, side: Side | undefined): Node {
    const differs = token.differs ? ' differs' : '';
    if (token.kind === 'plain') {
      return differs === '' ? document.createTextNode(token.text) : element('span', { class: 'differs' }, token.text);
    }
    const classes = { value: 'value', comment: 'comment', divergent: 'divergent', name: 'name-token', number: 'number-token' };
    const made = element('span', { class: classes[token.kind] + differs }, token.text);
    if (token.kind === 'value' && name !== undefined && side !== undefined) {
      const value = this.ownValue(name, side, token.text);
      made.dataset['number'] = value.replace(/\D/g, '');
      made.title = value === token.text ? `Follow ${value}` : `Follow ${value}, shown as ${token.text}`;
      made.addEventListener('click', () => {
        this.events.follow({ side: name, value, function: side.function });
      });
    }
    return made;
  }

  private ownValue(name: 'before' | 'after', side: Side, shown: string): string {
    const number = Number(shown.replace(/\D/g, ''));
    const own = name === 'after' && this.diff !== undefined ? ownNumber(this.diff, side, number) : number;
    return shown.replace(/\d+/, String(own));
  }

  private moveTo(index: number, block: ScrollLogicalPosition): void {
    if (index >= this.shown && index < this.rows.length) {
      this.shown = this.rows.length;
      this.draw(undefined);
    }
    const row = this.elements[index];
    if (row === undefined) {
      return;
    }
    this.elements[this.cursor]?.classList.remove('cursor');
    this.cursor = index;
    row.classList.add('cursor');
    this.content.setAttribute('aria-activedescendant', row.id);
    row.scrollIntoView({ block });
  }

  private pressed(event: KeyboardEvent): void {
    const last = this.elements.length - 1;
    const target: Record<string, number> = {
      ArrowDown: this.cursor + 1,
      ArrowUp: this.cursor - 1,
      PageDown: Math.min(this.cursor + 20, last),
      PageUp: Math.max(this.cursor - 20, 0),
      Home: 0,
      End: last,
    };
    const next = target[event.key];
    if (next !== undefined) {
      event.preventDefault();
      this.moveTo(Math.min(Math.max(next, 0), last), 'nearest');
    } else if (event.key === 'Enter') {
      this.enter();
    } else if (event.key === 'f') {
      this.followRow();
    }
  }

  private enter(): void {
    const row = this.rows[this.cursor];
    const blamed = this.blamed[this.cursor];
    if (row?.kind === 'gap') {
      this.elements[this.cursor]?.querySelector('button')?.click();
    } else if (blamed !== undefined) {
      this.events.goToDump(blamed.dump);
    } else if (this.line !== undefined) {
      this.events.open(this.line);
    }
  }

  /** Follows the value that the row of the cursor defines. */
  private followRow(): void {
    const row = this.rows[this.cursor];
    for (const name of ['after', 'before'] as const) {
      const side = row?.[name];
      const value = side === undefined ? undefined : definedValue(side.text);
      if (side !== undefined && value !== undefined) {
        this.events.follow({ side: name, value: this.ownValue(name, side, value), function: side.function });
        return;
      }
    }
  }
}
