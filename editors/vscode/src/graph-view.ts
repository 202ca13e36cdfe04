import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { CursorPanel } from './cursor-panel';
import { GRAPH_KINDS, graphPage, messagePage, nodeAt, type GraphAnswer, type GraphKind } from './graph-page';

export type GraphSource = (
  document: vscode.Uri,
  position: vscode.Position,
  kind: GraphKind,
  whole: boolean,
) => Promise<GraphAnswer | undefined>;

/** The panel with a graph of the shader at the cursor. It follows the cursor; a click on a node reveals its text. */
export class GraphView implements vscode.Disposable {
  private readonly panel = new CursorPanel(
    'nirls.graph',
    () => this.follow(),
    (message) => {
      this.received(message);
    },
  );
  private kind: GraphKind = 'cfg';
  private whole = false;
  private answer: GraphAnswer | undefined;
  private place: { document: vscode.Uri; line: number } | undefined;

  constructor(private readonly source: GraphSource) {}

  /** Opens the panel with a kind of graph; asks for the kind if none is given. */
  async show(wanted?: unknown): Promise<void> {
    const chosen = isKind(wanted) ? { kind: wanted, whole: false } : await choosePicture();
    if (chosen === undefined) {
      return;
    }
    ({ kind: this.kind, whole: this.whole } = chosen);
    if (!this.panel.isOpen) {
      this.answer = undefined;
    }
    this.panel.open(`NIR ${GRAPH_KINDS[this.kind]}`);
    await this.update();
  }

  dispose(): void {
    this.panel.dispose();
  }

  private received(message: unknown): void {
    if (typeof message !== 'object' || message === null || !('kind' in message)) {
      return;
    }
    if (message.kind === 'ready') {
      this.mark(true);
    } else if (message.kind === 'open' && 'id' in message) {
      void this.open(message.id);
    } else if (message.kind === 'whole') {
      this.whole = true;
      void this.update();
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

  /** Highlights the node at the cursor; redraws if the graph has no such node. */
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
    // While the panel has the focus, the editor that it was drawn for stays the place.
    const editor = vscode.window.activeTextEditor ?? this.editorOfPlace();
    if (editor?.document.languageId !== 'nir') {
      return;
    }
    const isWanted = this.panel.ask();
    const position = editor.selection.active;
    this.place = { document: editor.document.uri, line: position.line };
    const answer = await this.source(editor.document.uri, position, this.kind, this.whole);
    if (answer === undefined || !isWanted()) {
      return;
    }
    const page = await pageOf(answer);
    if (isWanted()) {
      this.answer = answer;
      this.panel.showPage(page);
    }
  }

  private editorOfPlace(): vscode.TextEditor | undefined {
    const document = this.place?.document.toString();
    return vscode.window.visibleTextEditors.find((one) => one.document.uri.toString() === document);
  }

  private marked(): string | undefined {
    const { answer, place } = this;
    return answer === undefined || place === undefined
      ? undefined
      : nodeAt(answer.nodes, place.document.toString(), place.line);
  }

  private mark(reveal: boolean): void {
    this.panel.post({ kind: 'mark', id: this.marked(), reveal });
  }
}

async function pageOf(answer: GraphAnswer): Promise<string> {
  if (answer.whyNot !== null) {
    return messagePage(answer.whyNot);
  }
  try {
    // A separate bundle, loaded on demand: Graphviz is large.
    const svg = answer.svg ?? (await (await import('./graph-layout.js')).layOut(answer.dot));
    return graphPage(answer, svg, randomBytes(16).toString('base64'));
  } catch (error) {
    return messagePage(`The graph could not be laid out: ${String(error)}`);
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
    {
      label: 'Control Flow, Whole Blocks',
      description: 'all instructions of each block',
      picture: { kind: 'cfg' as const, whole: true },
    },
    { label: 'All Values', description: 'of the function', picture: { kind: 'values', whole: true } },
  ];
  return (await vscode.window.showQuickPick(items, { title: 'Draw', placeHolder: 'What to draw' }))?.picture;
}

function isKind(value: unknown): value is GraphKind {
  return typeof value === 'string' && value in GRAPH_KINDS;
}
