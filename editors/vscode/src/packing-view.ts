import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { CursorPanel } from './cursor-panel';
import { packingPage, type PackingAnswer } from './packing-page';

export type PackingSource = (document: vscode.Uri, position: vscode.Position) => Promise<PackingAnswer | undefined>;

/** The panel that shows how varyings are packed, for the dump at the cursor, before and after opt_varyings. */
export class PackingView implements vscode.Disposable {
  private readonly panel = new CursorPanel('nirls.packing', () => this.updateFromCursor());
  private readonly saved = vscode.workspace.onDidSaveTextDocument(() => {
    this.panel.followSoon();
  });

  constructor(private readonly source: PackingSource) {}

  /** Opens the panel for the dump of a code lens, or for the one at the cursor. */
  async show(target?: unknown, line?: unknown): Promise<void> {
    if (typeof target !== 'string' && vscode.window.activeTextEditor?.document.languageId !== 'nir') {
      void vscode.window.showInformationMessage('Open a NIR file and put the cursor into a dump.');
      return;
    }
    this.panel.open('NIR Packing');
    if (typeof target === 'string' && typeof line === 'number') {
      await this.update(vscode.Uri.parse(target, true), new vscode.Position(line, 0));
      return;
    }
    await this.updateFromCursor();
  }

  dispose(): void {
    this.saved.dispose();
    this.panel.dispose();
  }

  private async updateFromCursor(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (editor?.document.languageId === 'nir') {
      await this.update(editor.document.uri, editor.selection.active);
    }
  }

  private async update(document: vscode.Uri, position: vscode.Position): Promise<void> {
    const isWanted = this.panel.ask();
    const answer = await this.source(document, position);
    if (answer !== undefined && isWanted()) {
      this.panel.showPage(packingPage(answer, randomBytes(16).toString('base64')));
    }
  }
}
