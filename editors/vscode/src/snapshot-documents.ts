import * as vscode from 'vscode';

const SCHEME = 'nirls-snapshot';

/** Texts of the server as read-only documents for the diff editor, kept while they are open. */
export class SnapshotDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly registrations: vscode.Disposable[];
  private count = 0;

  constructor() {
    this.registrations = [
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      vscode.workspace.onDidCloseTextDocument((document) => this.texts.delete(document.uri.toString())),
    ];
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? '';
  }

  /** Shows two texts side by side; the result closes the editor. */
  async diff(before: string, after: string, title: string): Promise<() => Promise<void>> {
    const left = this.add('before', before);
    const right = this.add('after', after);
    await vscode.commands.executeCommand('vscode.diff', left, right, title, { preview: true });
    return async () => {
      const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
      await vscode.window.tabGroups.close(tabs.filter(({ input }) => input instanceof vscode.TabInputTextDiff && input.modified.toString() === right.toString()));
    };
  }

  dispose(): void {
    this.registrations.forEach((registration) => {
      registration.dispose();
    });
    this.texts.clear();
  }

  private add(side: string, text: string): vscode.Uri {
    this.count += 1;
    // The suffix sets the language. Names from dumps are not used in the URI.
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${String(this.count)}/${side}.nir` });
    this.texts.set(uri.toString(), text);
    return uri;
  }
}
