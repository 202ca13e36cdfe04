import * as vscode from 'vscode';
import { describeCounts, describePass, hasDiff, iconOfPass, type Pass, type ShaderTimeline, type Timeline } from './pass-timeline';
import type { SnapshotDocuments } from './snapshot-documents';

/** Debounce time of text changes, in milliseconds. */
const PAUSE = 700;

export interface SnapshotTexts {
  before: string;
  after: string;
  same: boolean;
}

/** Requests of the view to the server. */
export interface TimelineSource {
  timeline(document: vscode.Uri, hidden: boolean): Promise<Timeline | undefined>;
  snapshotDiff(document: vscode.Uri, before: number, after: number): Promise<SnapshotTexts | undefined>;
}

interface ShaderNode {
  kind: 'shader';
  document: vscode.Uri;
  shader: ShaderTimeline;
}

interface PassNode {
  kind: 'pass';
  document: vscode.Uri;
  shader: ShaderTimeline;
  pass: Pass;
}

type TimelineNode = ShaderNode | PassNode;

/** The tree of passes of the active log. */
export class TimelineView implements vscode.TreeDataProvider<TimelineNode>, vscode.Disposable {
  private readonly changeEmitter = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changeEmitter.event;
  private readonly view: vscode.TreeView<TimelineNode>;
  private readonly disposables: vscode.Disposable[];
  private document: vscode.Uri | undefined;
  private shaders: ShaderNode[] = [];
  private hidden = false;
  private timer: NodeJS.Timeout | undefined;
  /** Number of the latest request; answers to earlier ones are dropped. */
  private asked = 0;

  constructor(
    private readonly source: TimelineSource,
    private readonly snapshots: SnapshotDocuments,
  ) {
    this.view = vscode.window.createTreeView('nirls.passes', { treeDataProvider: this, showCollapseAll: true });
    this.disposables = [
      this.view.onDidChangeVisibility(() => {
        this.updateSoon(0);
      }),
      vscode.window.onDidChangeActiveTextEditor((editor) => {
        // An active diff or graph does not change the tree.
        if (editor?.document.languageId === 'nir' && editor.document.uri.scheme !== 'nirls-snapshot') {
          this.updateSoon(0);
        }
      }),
      vscode.workspace.onDidOpenTextDocument(showOrHide),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (document.uri.toString() === this.document?.toString()) {
          this.updateSoon(PAUSE);
        }
      }),
      vscode.workspace.onDidCloseTextDocument((document) => {
        showOrHide();
        if (document.uri.toString() === this.document?.toString()) {
          this.updateSoon(0);
        }
      }),
    ];
    showOrHide();
    this.updateSoon(0);
  }

  /** Shows or hides the passes that changed nothing. */
  async toggleIdlePasses(): Promise<void> {
    this.hidden = !this.hidden;
    await this.update();
  }

  /** Refreshes the tree after the server or the text changed. */
  updateSoon(pause: number = PAUSE): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.update(), pause);
  }

  /** Shows the diff of a pass. */
  async showDiff(node: unknown): Promise<void> {
    if (!isPassNode(node) || !hasDiff(node.pass)) {
      return;
    }
    const { document, pass, shader } = node;
    const texts = await this.source.snapshotDiff(document, pass.previous, pass.dump);
    if (texts === undefined) {
      void vscode.window.showInformationMessage('The log has changed. Refresh the passes first.');
      return;
    }
    await this.snapshots.diff(texts.before, texts.after, `${pass.name} (${shader.title})`);
  }

  /** Reveals a pass or its snapshot in the log. */
  async goTo(node: unknown): Promise<void> {
    const line = isPassNode(node) ? node.pass.line : undefined;
    if (!isPassNode(node) || line === undefined) {
      return;
    }
    const position = new vscode.Position(line, 0);
    await vscode.window.showTextDocument(node.document, { selection: new vscode.Range(position, position) });
  }

  getTreeItem(node: TimelineNode): vscode.TreeItem {
    return node.kind === 'shader' ? shaderItem(node) : passItem(node);
  }

  getChildren(node?: TimelineNode): TimelineNode[] {
    if (node === undefined) {
      return this.shaders;
    }
    if (node.kind === 'pass') {
      return [];
    }
    const { document, shader } = node;
    return shader.passes.map((pass) => ({ kind: 'pass', document, shader, pass }));
  }

  getParent(node: TimelineNode): TimelineNode | undefined {
    return node.kind === 'pass' ? this.shaders.find(({ shader }) => shader === node.shader) : undefined;
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.disposables.forEach((one) => {
      one.dispose();
    });
    this.changeEmitter.dispose();
    this.view.dispose();
  }

  private async update(): Promise<void> {
    if (!this.view.visible) {
      return;
    }
    const question = ++this.asked;
    const document = nirDocument() ?? this.stillOpen();
    const timeline = document === undefined ? undefined : await this.source.timeline(document, this.hidden);
    if (question !== this.asked) {
      return;
    }
    this.document = document;
    this.shaders =
      document === undefined ? [] : (timeline?.shaders ?? []).map((shader) => ({ kind: 'shader', document, shader }));
    this.view.message = this.shaders.length === 0 ? 'Open a log with NIR dumps to see its passes.' : '';
    this.view.description = document?.path.split('/').pop() ?? '';
    this.changeEmitter.fire();
  }

  private stillOpen(): vscode.Uri | undefined {
    const uri = this.document?.toString();
    return vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri)?.uri;
  }
}

/** The view is visible while a NIR document is open. */
function showOrHide(): void {
  const isOpen = vscode.workspace.textDocuments.some(({ languageId }) => languageId === 'nir');
  void vscode.commands.executeCommand('setContext', 'nirls.showsPasses', isOpen);
}

function nirDocument(): vscode.Uri | undefined {
  const document = vscode.window.activeTextEditor?.document;
  return document?.languageId === 'nir' && document.uri.scheme !== 'nirls-snapshot' ? document.uri : undefined;
}

function isPassNode(node: unknown): node is PassNode {
  return typeof node === 'object' && node !== null && 'kind' in node && node.kind === 'pass';
}

function shaderItem({ shader }: ShaderNode): vscode.TreeItem {
  const item = new vscode.TreeItem(shader.title, vscode.TreeItemCollapsibleState.Expanded);
  item.description = describeCounts(shader.first, shader.last);
  item.tooltip = `${shader.title}: ${item.description}; ${String(shader.hidden)} passes changed nothing`;
  item.iconPath = new vscode.ThemeIcon('symbol-event');
  item.contextValue = 'shader';
  return item;
}

function passItem(node: PassNode): vscode.TreeItem {
  const { pass } = node;
  const item = new vscode.TreeItem(pass.name);
  item.description = describeCounts(pass.before, pass.after);
  item.tooltip = describePass(pass);
  item.iconPath = new vscode.ThemeIcon(iconOfPass(pass), markColor(pass));
  item.contextValue = hasDiff(pass) ? 'passWithDiff' : 'pass';
  item.command = hasDiff(pass)
    ? { title: 'Show What the Pass Changed', command: 'nirls.showPassDiff', arguments: [node] }
    : { title: 'Go to the Pass', command: 'nirls.goToPass', arguments: [node] };
  return item;
}

/** The color of the icon of a pass whose result is wrong or could not be checked. */
function markColor(pass: Pass): vscode.ThemeColor | undefined {
  switch (pass.verdict?.verdict) {
    case 'different':
      return new vscode.ThemeColor('list.errorForeground');
    case 'unchecked':
      return new vscode.ThemeColor('list.warningForeground');
    default:
      return undefined;
  }
}
