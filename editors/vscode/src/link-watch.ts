import * as vscode from 'vscode';
import { describeLinks, type LinkStatus, type LinkText } from './link-status';

/** Debounce time of cursor movements, in milliseconds. */
const PAUSE = 150;

export type LinkSource = (document: vscode.Uri, position: vscode.Position) => Promise<LinkStatus | undefined>;

/** Reports the stages that the dump at the cursor is linked with. */
export class LinkWatch implements vscode.Disposable {
  private readonly listeners: vscode.Disposable[];
  private timer: NodeJS.Timeout | undefined;
  /** Number of the latest request; answers to earlier ones are dropped. */
  private asked = 0;

  constructor(
    private readonly source: LinkSource,
    private readonly show: (links: LinkText | undefined) => void,
  ) {
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

  /** Asks again after the cursor, the links or the server changed. */
  updateSoon(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.update(), PAUSE);
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.listeners.forEach((listener) => {
      listener.dispose();
    });
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
    this.show(status === undefined ? undefined : describeLinks(status));
  }
}
