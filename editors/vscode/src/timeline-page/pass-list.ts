import { describeCounts, describePass, verdictMark, type Pass, type ShaderTimeline } from '../pass-timeline';
import { selectedPasses, whyNoPass, type PassFilter } from '../timeline-filter';
import type { HistoryEvent } from '../timeline-messages';
import { byId, element } from './elements';

export interface ListedPass {
  shader: ShaderTimeline;
  pass: Pass;
}

/** What is shown of the passes besides the timeline itself, by dump. */
export interface PassMarks {
  pressures: ReadonlyMap<number, number>;
  events: ReadonlyMap<number, HistoryEvent>;
  base: number | undefined;
}

/** The list of the passes of each shader. Arrow keys select; a selection is reported to `selected`. */
export class PassList {
  private readonly list = byId('passes', HTMLDivElement);
  private rows: { listed: ListedPass; row: HTMLElement }[] = [];
  private current: ListedPass | undefined;

  constructor(
    private readonly selected: (listed: ListedPass) => void,
    private readonly opened: (listed: ListedPass) => void,
  ) {
    this.list.addEventListener('keydown', (event) => {
      this.pressed(event);
    });
  }

  get selection(): ListedPass | undefined {
    return this.current;
  }

  /** Draws the list, with the selection as it was if it is still listed. */
  show(shaders: readonly ShaderTimeline[], filter: PassFilter, marks: PassMarks): void {
    const scroll = this.list.scrollTop;
    this.rows = [];
    const groups = shaders.flatMap((shader) => {
      const passes = selectedPasses(shader, filter);
      return passes.length === 0 ? [] : [this.group(shader, passes, marks)];
    });
    const empty = element('p', { class: 'empty' }, whyNoPass(shaders, filter));
    this.list.replaceChildren(...(groups.length === 0 ? [empty] : groups));
    this.list.scrollTop = scroll;
    const { current } = this;
    if (current !== undefined) {
      const kept = this.rows.find(({ listed }) => isSame(listed, current));
      this.current = kept?.listed ?? current;
      this.mark(kept?.row);
    }
  }

  /** Selects the first pass for which a condition holds; whether there is one. */
  select(wanted: (listed: ListedPass) => boolean): boolean {
    const found = this.rows.find(({ listed }) => wanted(listed));
    if (found !== undefined) {
      this.choose(found);
    }
    return found !== undefined;
  }

  focus(): void {
    this.list.focus();
  }

  private group(shader: ShaderTimeline, passes: Pass[], marks: PassMarks): HTMLElement {
    const id = `shader-${String(shader.number)}`;
    const counts = element('small', {}, describeCounts(shader.first, shader.last));
    const heading = element('h3', { attributes: { id, role: 'presentation' } }, `${shader.title} `, counts);
    const rows = passes.map((pass) => this.row({ shader, pass }, marks));
    return element('div', { attributes: { role: 'group', 'aria-labelledby': id } }, heading, ...rows);
  }

  private row(listed: ListedPass, marks: PassMarks): HTMLElement {
    const { shader, pass } = listed;
    const pressure = pressureOf(pass, marks.pressures);
    const event = pass.dump === null ? undefined : marks.events.get(pass.dump);
    const isIdle = pass.change === 'none' || pass.change === 'skipped';
    const isBase = pass.dump !== null && pass.dump === marks.base;
    const badges = [
      ...(event === undefined ? [] : [element('span', { class: 'event' }, event)]),
      ...(pass.findings == null ? [] : [element('span', { class: pass.findings.worst, attributes: { title: 'findings' } }, `⚠ ${String(pass.findings.count)}`)]),
      element('span', { class: pass.verdict?.verdict ?? '' }, verdictMark(pass)),
    ];
    const counts = [describeCounts(pass.before, pass.after), pressure === undefined ? '' : `${pressure} registers`];
    const label = [describePass(pass, pressure), event === undefined ? '' : `the value is ${event}`, isBase ? 'compared from here' : ''];
    const row = element(
      'div',
      {
        class: `pass${isIdle ? ' idle' : ''}${isBase ? ' base' : ''}`,
        attributes: {
          role: 'option',
          id: `pass-${String(shader.number)}-${String(pass.number)}`,
          'aria-selected': 'false',
          'aria-label': label.filter((text) => text !== '').join('; '),
          title: describePass(pass, pressure),
        },
      },
      element('span', { class: 'number' }, String(pass.number)),
      element('span', { class: 'name' }, pass.name),
      element('span', { class: 'marks' }, ...badges),
      element('span', { class: 'counts' }, counts.filter((text) => text !== '').join(', ')),
    );
    const entry = { listed, row };
    row.addEventListener('click', () => {
      this.choose(entry);
    });
    row.addEventListener('dblclick', () => {
      this.opened(listed);
    });
    this.rows.push(entry);
    return row;
  }

  private choose({ listed, row }: { listed: ListedPass; row: HTMLElement }): void {
    this.current = listed;
    this.mark(row);
    row.scrollIntoView({ block: 'nearest' });
    this.selected(listed);
  }

  private mark(chosen: HTMLElement | undefined): void {
    for (const { row } of this.rows) {
      row.setAttribute('aria-selected', String(row === chosen));
    }
    this.list.setAttribute('aria-activedescendant', chosen?.id ?? '');
  }

  private pressed(event: KeyboardEvent): void {
    const { current } = this;
    const place = current === undefined ? -1 : this.rows.findIndex(({ listed }) => isSame(listed, current));
    const target: Record<string, number> = {
      ArrowDown: place + 1,
      ArrowUp: place - 1,
      PageDown: Math.min(place + 10, this.rows.length - 1),
      PageUp: Math.max(place - 10, 0),
      Home: 0,
      End: this.rows.length - 1,
    };
    const next = target[event.key];
    if (next !== undefined) {
      event.preventDefault();
      const row = this.rows[next];
      if (row !== undefined) {
        this.choose(row);
      }
    } else if (event.key === 'Enter' && current !== undefined) {
      this.opened(current);
    }
  }
}

function isSame(one: ListedPass, other: ListedPass): boolean {
  return one.shader.number === other.shader.number && one.pass.number === other.pass.number;
}

/** The register pressure before and after a pass, as far as it is known. */
function pressureOf(pass: Pass, pressures: ReadonlyMap<number, number>): string | undefined {
  const after = pass.dump === null ? undefined : pressures.get(pass.dump);
  const before = pass.previous === null ? undefined : pressures.get(pass.previous);
  if (after === undefined) {
    return undefined;
  }
  return before === undefined || before === after ? String(after) : `${String(before)} → ${String(after)}`;
}
