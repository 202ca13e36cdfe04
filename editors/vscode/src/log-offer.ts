import * as vscode from 'vscode';
import { holdsDump } from './dump-detection';

/** Language ids that VS Code gives to debug logs. */
const LOG_LANGUAGES = new Set(['plaintext', 'log']);

/** Offers to set the language of a log with shader dumps to NIR, once for each file. */
export class LogOffer {
  private readonly offered = new Set<string>();

  async consider(document: vscode.TextDocument): Promise<void> {
    if (!LOG_LANGUAGES.has(document.languageId) || document.uri.scheme === 'output') {
      return;
    }
    const key = document.uri.toString();
    if (this.offered.has(key) || !vscode.workspace.getConfiguration('nirls', document).get<boolean>('detectLogs', true)) {
      return;
    }
    if (!holdsDump(document.lineCount, (line) => document.lineAt(line).text)) {
      return;
    }
    this.offered.add(key);
    const treatAsNir = 'Treat as NIR';
    const never = "Don't Ask Again";
    const answer = await vscode.window.showInformationMessage('This file contains NIR shader dumps.', treatAsNir, never);
    if (answer === treatAsNir) {
      await vscode.languages.setTextDocumentLanguage(document, 'nir');
    } else if (answer === never) {
      await vscode.workspace.getConfiguration('nirls').update('detectLogs', false, vscode.ConfigurationTarget.Global);
    }
  }
}
