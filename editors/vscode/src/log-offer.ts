import * as vscode from 'vscode';
import { holdsDump, namePattern } from './dump-detection';

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
    const treatAsNir = 'Yes';
    const always = alwaysTitle(document);
    const never = 'Never';
    const answers = [treatAsNir, ...(always === undefined ? [] : [always]), never];
    const answer = await vscode.window.showInformationMessage('This file contains NIR shader dumps. Treat it as NIR? Always: in this workspace.', ...answers);
    if (answer === treatAsNir) {
      await vscode.languages.setTextDocumentLanguage(document, 'nir');
    } else if (answer === never) {
      await vscode.workspace.getConfiguration('nirls').update('detectLogs', false, vscode.ConfigurationTarget.Global);
    } else if (answer !== undefined) {
      await vscode.languages.setTextDocumentLanguage(document, 'nir');
      await associate(document);
    }
  }

  /** Offers to treat files with names like that of a document as NIR from now on. */
  async offerAlways(document: vscode.TextDocument): Promise<void> {
    const always = alwaysTitle(document);
    if (always === undefined) {
      return;
    }
    const answer = await vscode.window.showInformationMessage('This file is treated as NIR until it is closed.', always);
    if (answer === always) {
      await associate(document);
    }
  }
}

/** The title of the answer for good; undefined for a file outside of the workspace, or one without an extension. */
function alwaysTitle(document: vscode.TextDocument): string | undefined {
  const pattern = namePattern(document.uri.path);
  const isInWorkspace = vscode.workspace.getWorkspaceFolder(document.uri) !== undefined;
  return pattern === undefined || !isInWorkspace ? undefined : `Always for ${pattern}`;
}

async function associate(document: vscode.TextDocument): Promise<void> {
  const files = vscode.workspace.getConfiguration('files');
  const known = files.inspect<Record<string, string>>('associations')?.workspaceValue ?? {};
  const pattern = namePattern(document.uri.path);
  if (pattern !== undefined) {
    await files.update('associations', { ...known, [pattern]: 'nir' }, vscode.ConfigurationTarget.Workspace);
  }
}
