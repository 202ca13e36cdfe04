import { comparisonTitle, snapshotName } from '../comparison-title';
import { hasDiff, type ShaderTimeline } from '../pass-timeline';
import { describeDiff } from '../snapshot-diff';
import { stagesOf, verificationProgress, type PassFilter } from '../timeline-filter';
import type { HistoryEvent, PageMessage, ValueHistory, ViewMessage } from '../timeline-messages';
import { DiffTable } from './diff-table';
import { byId, element } from './elements';
import { PassList, type ListedPass } from './pass-list';

declare function acquireVsCodeApi(): { postMessage(message: PageMessage): void; getState(): unknown; setState(state: unknown): void };

/** What survives while the page is hidden. */
interface Kept {
  shader: number;
  pass: number;
}

const vscode = acquireVsCodeApi();
const inputs = {
  name: byId('name', HTMLInputElement),
  stage: byId('stage', HTMLSelectElement),
  touches: byId('touches', HTMLInputElement),
  changed: byId('changed', HTMLInputElement),
  different: byId('different', HTMLInputElement),
  value: byId('value', HTMLInputElement),
};
const buttons = {
  previous: byId('previous', HTMLButtonElement),
  next: byId('next', HTMLButtonElement),
  pin: byId('pin', HTMLButtonElement),
  blame: byId('blame', HTMLButtonElement),
  values: byId('values', HTMLButtonElement),
  native: byId('native', HTMLButtonElement),
  log: byId('log', HTMLButtonElement),
};
const status = byId('status', HTMLSpanElement);
const title = byId('title', HTMLHeadingElement);
const historyBox = byId('history', HTMLDivElement);

let shaders: ShaderTimeline[] = [];
let touching: ReadonlySet<number> | undefined;
let history: ValueHistory | undefined;
let base: number | undefined;
let isBlaming = false;
let asked: { before: number; after: number } | undefined;
const pressures = new Map<number, number>();

const list = new PassList(
  (listed) => {
    isBlaming = false;
    vscode.setState({ shader: listed.shader.number, pass: listed.pass.number } satisfies Kept);
    showPass(listed);
    askForPressures();
  },
  ({ pass }) => {
    vscode.postMessage({ kind: 'open', line: pass.line });
  },
);

const table = new DiffTable({
  follow: ({ side, value, function: name }) => {
    const dump = asked?.[side];
    if (dump !== undefined) {
      follow(dump, value, name);
    }
  },
  open: (line) => {
    vscode.postMessage({ kind: 'open', line });
  },
  goToDump,
});

function filter(): PassFilter {
  return {
    changedOnly: inputs.changed.checked,
    differentOnly: inputs.different.checked,
    name: inputs.name.value.trim(),
    stage: inputs.stage.value,
    touching,
  };
}

function drawList(): void {
  const events = new Map<number, HistoryEvent>(history?.entries.map(({ dump, event }) => [dump, event]));
  list.show(shaders, filter(), { pressures, events, base });
  showValuesButton();
}

function showPass({ shader, pass }: ListedPass): void {
  const before = base ?? pass.previous;
  asked = undefined;
  buttons.blame.setAttribute('aria-pressed', String(isBlaming));
  showValuesButton();
  if (isBlaming && pass.dump !== null) {
    title.textContent = `${pass.name} (${String(pass.number)}), ${shader.title}: the pass that changed each line last`;
    vscode.postMessage({ kind: 'blame', dump: pass.dump });
    return;
  }
  title.textContent = comparisonTitle(shaders, shader, pass, base);
  if (pass.dump === null || before === null || (base === undefined && !hasDiff(pass))) {
    table.showText(pass.dump === null ? 'The pass changed nothing, so the log has no snapshot after it.' : 'This is the first snapshot.');
    return;
  }
  asked = { before, after: pass.dump };
  vscode.postMessage({ kind: 'diff', ...asked });
}

/** Selects the pass after which a dump was printed, whatever the filter. */
function goToDump(dump: number): void {
  const isWanted = ({ pass }: ListedPass): boolean => pass.dump === dump;
  isBlaming = false;
  if (!list.select(isWanted)) {
    resetFilter();
    list.select(isWanted);
  }
}

function resetFilter(): void {
  inputs.name.value = inputs.touches.value = inputs.stage.value = '';
  inputs.changed.checked = inputs.different.checked = false;
  touching = undefined;
  drawList();
}

function follow(dump: number, value: string, name?: string): void {
  inputs.value.value = value;
  status.textContent = `Following ${value} …`;
  vscode.postMessage({ kind: 'follow', dump, value, ...(name === undefined || name === '' ? {} : { function: name }) });
}

function showHistory(found: ValueHistory | undefined): void {
  history = found;
  historyBox.hidden = found === undefined;
  if (found !== undefined) {
    const close = element('button', { attributes: { type: 'button' } }, 'Close');
    close.addEventListener('click', () => {
      inputs.value.value = '';
      showHistory(undefined);
    });
    const steps = found.entries.map((entry) => {
      const replaced = entry.replacement === null ? '' : `  (readers use ${entry.replacement})`;
      const text = `${String(entry.number)} ${entry.pass} ${entry.event}: ${entry.text}${replaced}`;
      const button = element('button', { attributes: { type: 'button' } }, text);
      button.addEventListener('click', () => {
        goToDump(entry.dump);
      });
      return element('li', {}, button);
    });
    historyBox.replaceChildren(element('strong', {}, `${found.value} through the passes`), element('ol', {}, ...steps), close);
    status.textContent = `${found.value}: ${found.entries.map(({ event, pass }) => `${event} by ${pass}`).join(', ')}`;
  }
  drawList();
  table.markValue(found);
  table.goToValue(found);
}

/** Asks for the register pressure of the shown passes of the selected shader, 16 at a time. */
function askForPressures(): void {
  const passes = list.selection?.shader.passes ?? [];
  const wanted = passes.flatMap(({ dump, change }) => (dump === null || pressures.has(dump) || change === 'none' ? [] : [dump]));
  if (wanted.length > 0) {
    const selected = list.selection?.pass.dump ?? 0;
    wanted.sort((one, other) => Math.abs(one - selected) - Math.abs(other - selected));
    vscode.postMessage({ kind: 'pressure', dumps: wanted.slice(0, 16) });
  }
}

function received(message: ViewMessage): void {
  switch (message.kind) {
    case 'timeline':
      showTimeline(message.shaders);
      break;
    case 'select':
      if (message.blame === true) {
        list.select(({ pass }) => pass.dump === message.dump);
        startBlame();
      } else {
        goToDump(message.dump);
      }
      if (message.follow !== undefined) {
        inputs.value.value = message.follow.value;
        showHistory(message.follow);
      }
      break;
    case 'diff':
      if (asked?.before === message.before && asked.after === message.after) {
        if (message.diff === null) {
          table.showText('The log has changed.');
        } else {
          const rows = table.showDiff(message.diff, message.before, message.after, history);
          status.textContent = `${title.textContent}: ${describeDiff(rows)}`;
        }
      }
      break;
    case 'history':
      if (message.history === null) {
        status.textContent = `${inputs.value.value} is not defined in this snapshot.`;
      } else {
        showHistory(message.history);
      }
      break;
    case 'touching':
      if (inputs.touches.value.trim() === message.what) {
        touching = message.dumps === null ? undefined : new Set(message.dumps);
        status.textContent =
          message.dumps === null ? `The passes that touch ${message.what} could not be found.` : `${String(message.dumps.length)} passes touch ${message.what}.`;
        drawList();
      }
      break;
    case 'pressure': {
      const known = Object.entries(message.pressures);
      known.forEach(([dump, pressure]) => pressures.set(Number(dump), pressure));
      drawList();
      if (known.length > 0) {
        askForPressures();
      }
      break;
    }
    case 'blame':
      if (isBlaming) {
        if (message.blame === null || message.blame.lines.length === 0) {
          table.showText('The shader has one snapshot: there is no pass to blame.');
        } else {
          table.showBlame(message.blame.lines);
        }
      }
      break;
    case 'message':
      status.textContent = message.text;
      break;
  }
}

function showTimeline(found: ShaderTimeline[]): void {
  const isOther = JSON.stringify(found.map(outline)) !== JSON.stringify(shaders.map(outline));
  shaders = found;
  if (isOther) {
    pressures.clear();
    touching = undefined;
    history = undefined;
    base = undefined;
    historyBox.hidden = true;
  }
  if (inputs.different.checked) {
    status.textContent = verificationProgress(shaders);
  }
  const chosen = inputs.stage.value;
  const options = ['', ...stagesOf(shaders)].map((stage) => element('option', { attributes: { value: stage } }, stage === '' ? 'all' : stage));
  inputs.stage.replaceChildren(...options);
  inputs.stage.value = options.some(({ value }) => value === chosen) ? chosen : '';
  drawList();
  if (isOther) {
    const kept = vscode.getState() as Kept | undefined;
    const isKept = ({ shader, pass }: ListedPass): boolean => shader.number === kept?.shader && pass.number === kept.pass;
    if (!list.select(isKept) && !list.select(({ pass }) => hasDiff(pass))) {
      list.select(() => true);
    }
  }
}

/** What identifies the text of a log, without the verdicts and findings that come later. */
function outline({ title: name, passes }: ShaderTimeline): unknown {
  return [name, passes.map(({ number, name: pass, line, change, after }) => [number, pass, line, change, after?.instructions])];
}

function startBlame(): void {
  isBlaming = true;
  const { selection } = list;
  if (selection !== undefined) {
    showPass(selection);
  }
}

function toggleBlame(): void {
  if (!isBlaming) {
    startBlame();
    return;
  }
  isBlaming = false;
  if (list.selection !== undefined) {
    showPass(list.selection);
  }
}

function togglePin(): void {
  base = base === undefined ? (list.selection?.pass.dump ?? undefined) : undefined;
  buttons.pin.setAttribute('aria-pressed', String(base !== undefined));
  buttons.pin.textContent = base === undefined ? 'Compare from Here' : `Compared from ${snapshotName(shaders, base)}`;
  status.textContent = base === undefined ? 'Each pass is compared with the snapshot before it.' : `The other passes are compared with ${snapshotName(shaders, base)}.`;
  drawList();
  if (list.selection !== undefined) {
    showPass(list.selection);
  }
}

/** The values are those of the counterexample of a verdict. */
function showValuesButton(): void {
  buttons.values.hidden = list.selection?.pass.verdict?.verdict !== 'different';
}

function openValues(): void {
  const dump = list.selection?.pass.dump;
  if (dump != null) {
    status.textContent = 'Running both snapshots …';
    vscode.postMessage({ kind: 'values', dump });
  }
}

function openNative(): void {
  if (asked !== undefined) {
    vscode.postMessage({ kind: 'nativeDiff', ...asked, title: title.textContent });
  }
}

function openLog(): void {
  const line = table.line ?? list.selection?.pass.line;
  if (line !== undefined) {
    vscode.postMessage({ kind: 'open', line });
  }
}

let timer: number | undefined;

/** Asks for the passes that touch what is typed, when typing pauses. */
function askForTouching(): void {
  clearTimeout(timer);
  touching = undefined;
  const what = inputs.touches.value.trim();
  if (what === '') {
    status.textContent = '';
    drawList();
    return;
  }
  timer = setTimeout(() => {
    const shader = list.selection?.shader;
    const dumps = what.startsWith('%') || what.startsWith('ssa_') ? [list.selection?.pass.dump ?? undefined] : shaders.map(lastDump);
    status.textContent = `Looking for ${what}${shader === undefined ? '' : ' …'}`;
    vscode.postMessage({ kind: 'touching', dumps: dumps.filter((dump) => dump !== undefined), what });
  }, 400);
}

function lastDump({ passes }: ShaderTimeline): number | undefined {
  return passes.findLast(({ dump }) => dump !== null)?.dump ?? undefined;
}

for (const input of [inputs.name, inputs.stage, inputs.changed, inputs.different]) {
  input.addEventListener('input', drawList);
}
inputs.different.addEventListener('input', () => {
  status.textContent = inputs.different.checked ? verificationProgress(shaders) : '';
});
inputs.touches.addEventListener('input', askForTouching);
inputs.value.addEventListener('keydown', (event) => {
  const dump = list.selection?.pass.dump ?? asked?.after;
  if (event.key === 'Enter' && dump !== undefined && inputs.value.value.trim() !== '') {
    follow(dump, inputs.value.value.trim());
  }
});
byId('filters', HTMLFormElement).addEventListener('submit', (event) => {
  event.preventDefault();
});
buttons.previous.addEventListener('click', () => {
  table.step(-1);
});
buttons.next.addEventListener('click', () => {
  table.step(1);
});
buttons.pin.addEventListener('click', togglePin);
buttons.blame.addEventListener('click', toggleBlame);
buttons.values.addEventListener('click', openValues);
buttons.native.addEventListener('click', openNative);
buttons.log.addEventListener('click', openLog);
document.addEventListener('keydown', ({ key, target, ctrlKey, metaKey, altKey }) => {
  if (target instanceof HTMLInputElement || target instanceof HTMLSelectElement || ctrlKey || metaKey || altKey) {
    return;
  }
  const actions: Record<string, () => void> = {
    n: () => {
      table.step(1);
    },
    p: () => {
      table.step(-1);
    },
    b: togglePin,
  };
  actions[key]?.();
});
window.addEventListener('message', ({ data }: MessageEvent<ViewMessage>) => {
  received(data);
});
vscode.postMessage({ kind: 'ready' });
list.focus();
