import * as vscode from 'vscode';
import type { LinkText } from './link-status';
import { describeStatus, withLinks, type ServerStatus } from './server-status';

/** The status bar item: the server, and the linked stages of the dump at the cursor. Visible while a NIR document is active. */
export class StatusItem implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem('nirls.status', vscode.StatusBarAlignment.Right, 100);
  private readonly listeners: vscode.Disposable[];
  private status: ServerStatus = { kind: 'stopped' };
  private links: LinkText | undefined;

  constructor() {
    this.item.name = 'NIR Language Server';
    this.render();
    const update = (): void => {
      this.updateVisibility();
    };
    // A change of language reopens the document in the same editor.
    this.listeners = [vscode.window.onDidChangeActiveTextEditor(update), vscode.workspace.onDidOpenTextDocument(update)];
    this.updateVisibility();
  }

  show(status: ServerStatus): void {
    this.status = status;
    this.render();
  }

  showLinks(links: LinkText | undefined): void {
    this.links = links;
    this.render();
  }

  private render(): void {
    const { text, tooltip, severity, command } = withLinks(describeStatus(this.status), this.links);
    this.item.text = text;
    this.item.tooltip = tooltip;
    this.item.command = command;
    this.item.backgroundColor =
      severity === 'normal' ? undefined : new vscode.ThemeColor(`statusBarItem.${severity}Background`);
    this.updateVisibility();
  }

  dispose(): void {
    this.listeners.forEach((listener) => {
      listener.dispose();
    });
    this.item.dispose();
  }

  private updateVisibility(): void {
    if (vscode.window.activeTextEditor?.document.languageId === 'nir') {
      this.item.show();
    } else {
      this.item.hide();
    }
  }
}
