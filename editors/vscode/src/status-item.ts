import * as vscode from 'vscode';
import { describeStatus, type ServerStatus } from './server-status';

/** The status bar item: there while a NIR document is in front. */
export class StatusItem implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem('nirls.status', vscode.StatusBarAlignment.Right, 100);
  private readonly editorListener: vscode.Disposable;

  constructor() {
    this.item.name = 'NIR Language Server';
    this.show({ kind: 'stopped' });
    this.editorListener = vscode.window.onDidChangeActiveTextEditor(() => {
      this.updateVisibility();
    });
    this.updateVisibility();
  }

  show(status: ServerStatus): void {
    const { text, tooltip, severity, command } = describeStatus(status);
    this.item.text = text;
    this.item.tooltip = tooltip;
    this.item.command = command;
    this.item.backgroundColor =
      severity === 'normal' ? undefined : new vscode.ThemeColor(`statusBarItem.${severity}Background`);
    this.updateVisibility();
  }

  dispose(): void {
    this.editorListener.dispose();
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
