import * as vscode from 'vscode';
import { describeLinks, type LinkStatus } from './link-status';

/** Debounce time of cursor movements, in milliseconds. */
const PAUSE = 150;

export type LinkSource = (document: vscode.Uri, position: vscode.Position) => Promise<LinkStatus | undefined>;

/** The status bar item with the stages that the dump at the cursor is linked with. */
export class LinkItem implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem('nirls.links', vscode.StatusBarAlignment.Right, 99);
  private readonly listeners: vscode.Disposable[];
  private timer: NodeJS.Timeout | undefined;
  /** Number of the latest request; answers to earlier ones are dropped. */
  private asked = 0;

  constructor(private readonly source: LinkSource) {
    this.item.name = 'NIR Linked Stages';
    const update = (): void => {
      this.updateSoon();
    };
    this.listeners = [
      vscode.window.onDidChangeActiveTextEditor(update),
      vscode.window.onDidChangeTextEditorSelection((event) => {
        if (event.textEditor === vscode.window.activeTextEditor) {
          update();
        }
      }),
    ];
    this.updateSoon();
  }

  /** Updates the item after the cursor, the links or the server changed. */
  updateSoon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.update(), PAUSE);
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.listeners.forEach((listener) => {
      listener.dispose();
    });
    this.item.dispose();
  }

  private async update(): Promise<void> {
    const question = ++this.asked;
    const editor = vscode.window.activeTextEditor;
    const status =
      editor?.document.languageId === 'nir'
        ? await this.source(editor.document.uri, editor.selection.active)
        : undefined;
    if (question !== this.asked) {
      return;
    }
    const shown = status === undefined ? undefined : describeLinks(status);
    if (shown === undefined) {
      this.item.hide();
      return;
    }
    this.item.text = shown.text;
    this.item.tooltip = shown.tooltip;
    this.item.show();
  }
}
