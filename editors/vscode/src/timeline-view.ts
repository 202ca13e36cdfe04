import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { Timeline } from './pass-timeline';
import type { SnapshotDiff } from './snapshot-diff';
import type { SnapshotDocuments } from './snapshot-documents';
import type { Blame, PageMessage, ValueHistory, ViewMessage } from './timeline-messages';
import { timelinePage } from './timeline-page';

/** Debounce time of text changes and of new findings, in milliseconds. */
const PAUSE = 700;

/** Requests of the timeline to the server. Dumps count from 0. */
export interface TimelineSource {
  timeline(document: vscode.Uri): Promise<Timeline | undefined>;
  snapshotDiff(document: vscode.Uri, before: number, after: number): Promise<SnapshotDiff | null | undefined>;
  valueHistory(document: vscode.Uri, place: vscode.Position | ValuePlace): Promise<ValueHistory | null | undefined>;
  blame(document: vscode.Uri, place: vscode.Position | number): Promise<Blame | null | undefined>;
  touchingPasses(document: vscode.Uri, dump: number, what: string): Promise<number[]>;
  /** Shows both snapshots with the values of the counterexample, in a file of its own. */
  showValues(document: vscode.Uri, dump: number): Promise<unknown>;
  registerPressure(document: vscode.Uri, dumps: number[]): Promise<Record<string, number>>;
}

/** A value of a dump. */
export interface ValuePlace {
  dump: number;
  value: string;
  function?: string;
}

/** The panel with the passes of a log and what each changed. */
export class TimelineView implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private document: vscode.Uri | undefined;
  private readonly listeners: vscode.Disposable[];
  private timer: NodeJS.Timeout | undefined;
  /** Number of the latest request for the timeline; answers to earlier ones are dropped. */
  private asked = 0;
  /** Sent once the page has its timeline. */
  private waiting: ViewMessage | undefined;

  constructor(
    private readonly source: TimelineSource,
    private readonly snapshots: SnapshotDocuments,
    private readonly dist: vscode.Uri,
  ) {
    this.listeners = [
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (document.uri.toString() === this.document?.toString()) {
          this.updateSoon();
        }
      }),
      vscode.languages.onDidChangeDiagnostics(({ uris }) => {
        if (uris.some((uri) => uri.toString() === this.document?.toString())) {
          this.updateSoon();
        }
      }),
    ];
  }

  /** Opens the timeline of a document: of the active one, or as a code lens asks (URI, number of a dump). */
  async show(target?: unknown, dump?: unknown): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const document = target instanceof vscode.Uri ? target : typeof target === 'string' ? vscode.Uri.parse(target, true) : nirDocument(editor);
    if (document === undefined) {
      void vscode.window.showInformationMessage('Open a log with NIR dumps to see its passes.');
      return;
    }
    await this.open(document, typeof dump === 'number' ? { kind: 'select', dump } : undefined);
  }

  /** Opens the timeline with the history of the value at the cursor. */
  async followValue(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const document = nirDocument(editor);
    if (editor === undefined || document === undefined) {
      return;
    }
    const history = await this.working(this.source.valueHistory(document, editor.selection.active));
    const dump = history?.entries.at(-1)?.dump;
    if (history == null || dump === undefined) {
      void vscode.window.showInformationMessage('There is no value at the cursor.');
      return;
    }
    await this.open(document, { kind: 'select', dump, follow: history });
  }

  /** Opens the timeline with the passes that changed each line of the dump at the cursor. */
  async showBlame(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const document = nirDocument(editor);
    if (editor === undefined || document === undefined) {
      return;
    }
    const blame = await this.working(this.source.blame(document, editor.selection.active));
    if (blame == null || blame.lines.length === 0) {
      void vscode.window.showInformationMessage('There is no shader with several snapshots at the cursor.');
      return;
    }
    await this.open(document, { kind: 'select', dump: blame.dump, blame: true });
  }

  /** Refreshes the timeline after the server or the text changed. */
  updateSoon(pause: number = PAUSE): void {
    if (this.panel !== undefined) {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => void this.update(), pause);
    }
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.listeners.forEach((listener) => {
      listener.dispose();
    });
    this.panel?.dispose();
  }

  private async open(document: vscode.Uri, then: ViewMessage | undefined): Promise<void> {
    const isSame = this.document?.toString() === document.toString();
    const wasVisible = this.panel?.visible === true;
    this.document = document;
    this.waiting = then;
    if (this.panel === undefined) {
      this.panel = this.create();
    } else {
      this.panel.reveal();
    }
    this.panel.title = `Passes of ${document.path.split('/').pop() ?? ''}`;
    if (!wasVisible) {
      // The page is loaded now, and asks for its content then.
      return;
    }
    if (!isSame) {
      await this.update();
    } else if (then !== undefined) {
      this.waiting = undefined;
      this.post(then);
    }
  }

  private create(): vscode.WebviewPanel {
    const panel = vscode.window.createWebviewPanel('nirls.timeline', 'Passes', vscode.ViewColumn.Active, {
      enableScripts: true,
      localResourceRoots: [this.dist],
    });
    panel.onDidDispose(() => {
      this.panel = undefined;
      this.document = undefined;
    });
    panel.webview.onDidReceiveMessage((message) => void this.received(message as PageMessage));
    const script = panel.webview.asWebviewUri(vscode.Uri.joinPath(this.dist, 'timeline-page.js')).toString();
    panel.webview.html = timelinePage(script, panel.webview.cspSource, randomBytes(16).toString('base64'));
    return panel;
  }

  private post(message: ViewMessage): void {
    void this.panel?.webview.postMessage(message);
  }

  private async update(): Promise<void> {
    const { document } = this;
    if (document === undefined) {
      return;
    }
    const question = ++this.asked;
    const timeline = await this.working(this.source.timeline(document));
    if (question !== this.asked || this.panel === undefined) {
      return;
    }
    this.post({ kind: 'timeline', name: document.path, shaders: timeline?.shaders ?? [] });
    if (this.waiting !== undefined) {
      this.post(this.waiting);
      this.waiting = undefined;
    }
  }

  private async received(message: PageMessage): Promise<void> {
    const { document } = this;
    if (document === undefined) {
      return;
    }
    switch (message.kind) {
      case 'ready':
      case 'refresh':
        await this.update();
        break;
      case 'diff': {
        const diff = await this.source.snapshotDiff(document, message.before, message.after);
        this.post({ ...message, diff: diff ?? null });
        break;
      }
      case 'nativeDiff': {
        const diff = await this.source.snapshotDiff(document, message.before, message.after);
        if (diff != null) {
          await this.snapshots.diff(diff.before, diff.after, message.title);
        }
        break;
      }
      case 'follow':
        this.post({ kind: 'history', history: (await this.working(this.source.valueHistory(document, message))) ?? null });
        break;
      case 'touching': {
        let dumps: number[] | null = [];
        try {
          for (const dump of message.dumps) {
            dumps.push(...(await this.working(this.source.touchingPasses(document, dump, message.what))));
          }
        } catch {
          dumps = null;
        }
        this.post({ kind: 'touching', what: message.what, dumps });
        break;
      }
      case 'pressure':
        this.post({ kind: 'pressure', pressures: await this.source.registerPressure(document, message.dumps) });
        break;
      case 'blame':
        this.post({ kind: 'blame', blame: (await this.working(this.source.blame(document, message.dump))) ?? null });
        break;
      case 'values':
        await this.working(this.source.showValues(document, message.dump));
        this.post({ kind: 'message', text: '' });
        break;
      case 'open':
        await openLine(document, message.line);
        break;
    }
  }

  private async working<Answer>(work: Promise<Answer>): Promise<Answer> {
    return vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title: 'NIR: comparing snapshots' }, () => work);
  }
}

/** Reveals a line of the log beside the timeline. */
async function openLine(document: vscode.Uri, line: number): Promise<void> {
  const position = new vscode.Position(line, 0);
  const open = vscode.window.visibleTextEditors.find((editor) => editor.document.uri.toString() === document.toString());
  await vscode.window.showTextDocument(document, {
    selection: new vscode.Range(position, position),
    viewColumn: open?.viewColumn ?? vscode.ViewColumn.Beside,
  });
}

function nirDocument(editor: vscode.TextEditor | undefined): vscode.Uri | undefined {
  const document = editor?.document;
  return document?.languageId === 'nir' && document.uri.scheme !== 'nirls-snapshot' ? document.uri : undefined;
}
