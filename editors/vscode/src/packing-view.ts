import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { packingPage, type PackingAnswer } from './packing-page';

/** Milliseconds that the cursor must rest before the server is asked. */
const PAUSE = 300;

export type PackingSource = (document: vscode.Uri, position: vscode.Position) => Promise<PackingAnswer | undefined>;

/** The panel that shows how varyings are packed, for the dump at the cursor, before and after opt_varyings. */
export class PackingView implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private readonly listeners: vscode.Disposable[];
  private timer: NodeJS.Timeout | undefined;
  /** Counts the questions: the answer to an old one is not shown. */
  private asked = 0;

  constructor(private readonly source: PackingSource) {
    this.listeners = [
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => {
        if (textEditor === vscode.window.activeTextEditor && textEditor.document.languageId === 'nir') {
          this.updateSoon();
        }
      }),
      vscode.workspace.onDidSaveTextDocument(() => {
        this.updateSoon();
      }),
    ];
  }

  /** Opens the panel beside the editor: for the dump that a code lens names, else for the one at the cursor. */
  async show(target?: unknown, line?: unknown): Promise<void> {
    this.panel ??= this.createPanel();
    this.panel.reveal(vscode.ViewColumn.Beside, true);
    if (typeof target === 'string' && typeof line === 'number') {
      await this.update(vscode.Uri.parse(target, true), new vscode.Position(line, 0));
      return;
    }
    await this.updateFromCursor();
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
    const panel = vscode.window.createWebviewPanel('nirls.packing', 'NIR Packing', place, {
      enableScripts: false,
      localResourceRoots: [],
    });
    panel.onDidDispose(() => {
      this.panel = undefined;
    });
    return panel;
  }

  private updateSoon(): void {
    if (this.panel?.visible !== true) {
      return;
    }
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.updateFromCursor(), PAUSE);
  }

  private async updateFromCursor(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor?.document.languageId === 'nir') {
      await this.update(editor.document.uri, editor.selection.active);
    }
  }

  private async update(document: vscode.Uri, position: vscode.Position): Promise<void> {
    const question = ++this.asked;
    const answer = await this.source(document, position);
    if (question === this.asked && this.panel !== undefined && answer !== undefined) {
      this.panel.webview.html = packingPage(answer, randomBytes(16).toString('base64'));
    }
  }
}
