import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { GRAPH_KINDS, graphPage, messagePage, nodeAt, type GraphAnswer, type GraphKind } from './graph-page';

/** Milliseconds that the cursor must rest before the server is asked. */
const PAUSE = 300;

export type GraphSource = (
  document: vscode.Uri,
  position: vscode.Position,
  kind: GraphKind,
  whole: boolean,
) => Promise<GraphAnswer | undefined>;

/** The panel with a picture of the shader at the cursor: it follows the cursor, and a click leads to the text. */
export class GraphView implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private kind: GraphKind = 'cfg';
  private whole = false;
  private answer: GraphAnswer | undefined;
  private place: { document: vscode.Uri; line: number } | undefined;
  private readonly listeners: vscode.Disposable[];
  private timer: NodeJS.Timeout | undefined;
  /** Counts the questions: the answer to an old one is not shown. */
  private asked = 0;

  constructor(private readonly source: GraphSource) {
    this.listeners = [
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => {
        if (textEditor === vscode.window.activeTextEditor && textEditor.document.languageId === 'nir') {
          this.followSoon();
        }
      }),
    ];
  }

  /** Opens the panel beside the editor with a kind of picture, or asks for one. */
  async show(wanted?: unknown): Promise<void> {
    const chosen = isKind(wanted) ? { kind: wanted, whole: false } : await choosePicture();
    if (chosen === undefined) {
      return;
    }
    ({ kind: this.kind, whole: this.whole } = chosen);
    this.panel ??= this.createPanel();
    this.panel.title = `NIR ${GRAPH_KINDS[this.kind]}`;
    this.panel.reveal(vscode.ViewColumn.Beside, true);
    await this.update();
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.listeners.forEach((listener) => {
      listener.dispose();
    });
    this.panel?.dispose();
  }

  private createPanel(): vscode.WebviewPanel {
    const place = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    const panel = vscode.window.createWebviewPanel('nirls.graph', 'NIR', place, {
      enableScripts: true,
      localResourceRoots: [],
    });
    panel.onDidDispose(() => {
      this.panel = undefined;
      this.answer = undefined;
    });
    panel.webview.onDidReceiveMessage((message: unknown) => {
      this.received(message);
    });
    return panel;
  }

  private received(message: unknown): void {
    if (typeof message !== 'object' || message === null || !('kind' in message)) {
      return;
    }
    if (message.kind === 'ready') {
      this.mark(true);
    } else if (message.kind === 'open' && 'id' in message) {
      void this.open(message.id);
    }
  }

  private async open(id: unknown): Promise<void> {
    const node = this.answer?.nodes.find((one) => one.id === id);
    if (node === undefined) {
      return;
    }
    const { start } = node.range;
    const position = new vscode.Position(start.line, start.character);
    await vscode.window.showTextDocument(vscode.Uri.parse(node.uri, true), {
      selection: new vscode.Range(position, position),
      viewColumn: vscode.ViewColumn.One,
    });
  }

  private followSoon(): void {
    if (this.panel?.visible !== true) {
      return;
    }
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.follow(), PAUSE);
  }

  /** Marks the node at the cursor; draws anew where the picture has none for it. */
  private async follow(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined) {
      return;
    }
    this.place = { document: editor.document.uri, line: editor.selection.active.line };
    const isOfOneValue = this.kind === 'values' && !this.whole;
    if (isOfOneValue || this.marked() === undefined || editor.document.isDirty) {
      await this.update();
    } else {
      this.mark(true);
    }
  }

  private async update(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor?.document.languageId !== 'nir') {
      return;
    }
    const question = ++this.asked;
    const position = editor.selection.active;
    this.place = { document: editor.document.uri, line: position.line };
    const answer = await this.source(editor.document.uri, position, this.kind, this.whole);
    const page = await pageOf(answer, question === this.asked);
    if (question !== this.asked || this.panel === undefined || answer === undefined) {
      return;
    }
    this.answer = answer;
    this.panel.webview.html = page;
  }

  private marked(): string | undefined {
    const { answer, place } = this;
    return answer === undefined || place === undefined
      ? undefined
      : nodeAt(answer.nodes, place.document.toString(), place.line);
  }

  private mark(reveal: boolean): void {
    void this.panel?.webview.postMessage({ kind: 'mark', id: this.marked(), reveal });
  }
}

async function pageOf(answer: GraphAnswer | undefined, isWanted: boolean): Promise<string> {
  if (answer === undefined || !isWanted) {
    return '';
  }
  if (answer.whyNot !== null) {
    return messagePage(answer.whyNot);
  }
  try {
    // A bundle of its own: Graphviz is large, and most sessions draw nothing.
    const svg = answer.svg ?? (await (await import('./graph-layout.js')).layOut(answer.dot));
    return graphPage(answer, svg, randomBytes(16).toString('base64'));
  } catch (error) {
    return messagePage(`The picture could not be laid out: ${String(error)}`);
  }
}

interface Picture {
  kind: GraphKind;
  whole: boolean;
}

async function choosePicture(): Promise<Picture | undefined> {
  const items: (vscode.QuickPickItem & { picture: Picture })[] = [
    ...(Object.keys(GRAPH_KINDS) as GraphKind[]).map((kind) => ({
      label: GRAPH_KINDS[kind],
      description: kind === 'values' ? 'what the value at the cursor is made of' : '',
      picture: { kind, whole: false },
    })),
    { label: 'All Values', description: 'of the function', picture: { kind: 'values', whole: true } },
  ];
  return (await vscode.window.showQuickPick(items, { title: 'Draw', placeHolder: 'What to draw' }))?.picture;
}

function isKind(value: unknown): value is GraphKind {
  return typeof value === 'string' && value in GRAPH_KINDS;
}
