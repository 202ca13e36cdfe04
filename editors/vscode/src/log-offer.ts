import * as vscode from 'vscode';
import { holdsDump } from './dump-detection';

/** Languages that a debug log gets from its file name. */
const LOG_LANGUAGES = new Set(['plaintext', 'log']);

/** Offers, once a file, to treat a log with shader dumps in it as NIR. */
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
    const never = 'Never Ask';
    const answer = await vscode.window.showInformationMessage('This file holds NIR shader dumps.', treatAsNir, never);
    if (answer === treatAsNir) {
      await vscode.languages.setTextDocumentLanguage(document, 'nir');
    } else if (answer === never) {
      await vscode.workspace.getConfiguration('nirls').update('detectLogs', false, vscode.ConfigurationTarget.Global);
    }
  }
}
