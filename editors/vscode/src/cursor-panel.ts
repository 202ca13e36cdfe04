import * as vscode from 'vscode';

/** Debounce time of cursor movements, in milliseconds. */
const PAUSE = 300;

/** A panel beside the editor that follows the cursor in a shader. */
export class CursorPanel implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private readonly listeners: vscode.Disposable[];
  private timer: NodeJS.Timeout | undefined;
  private asked = 0;

  /** With `received` the page may run scripts; it gets the messages that they post. */
  constructor(
    private readonly viewType: string,
    private readonly follow: () => Promise<void>,
    private readonly received?: (message: unknown) => void,
  ) {
    this.listeners = [
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => {
        if (textEditor === vscode.window.activeTextEditor && textEditor.document.languageId === 'nir') {
          this.followSoon();
        }
      }),
    ];
  }

  get isOpen(): boolean {
    return this.panel !== undefined;
  }

  /** Opens or reveals the panel without moving the focus. */
  open(title: string): void {
    this.panel ??= this.create(title);
    this.panel.title = title;
    this.panel.reveal(vscode.ViewColumn.Beside, true);
  }

  followSoon(): void {
    if (this.panel?.visible !== true) {
      return;
    }
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.follow(), PAUSE);
  }

  /** Starts a request; the returned function is false once a newer request was started or the panel was closed. */
  ask(): () => boolean {
    const question = ++this.asked;
    return () => question === this.asked && this.isOpen;
  }

  showPage(html: string): void {
    if (this.panel !== undefined) {
      this.panel.webview.html = html;
    }
  }

  post(message: object): void {
    void this.panel?.webview.postMessage(message);
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.listeners.forEach((listener) => {
      listener.dispose();
    });
    this.panel?.dispose();
  }

  private create(title: string): vscode.WebviewPanel {
    const place = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    const panel = vscode.window.createWebviewPanel(this.viewType, title, place, {
      enableScripts: this.received !== undefined,
      localResourceRoots: [],
    });
    panel.onDidDispose(() => {
      this.panel = undefined;
    });
    if (this.received !== undefined) {
      panel.webview.onDidReceiveMessage(this.received);
    }
    return panel;
  }
}
