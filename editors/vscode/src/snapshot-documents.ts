import * as vscode from 'vscode';

const SCHEME = 'nirls-snapshot';

/** Texts from the server as read-only documents, for the diff editor. Each is kept as long as it is open. */
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

  /** Shows two texts side by side. */
  async diff(before: string, after: string, title: string): Promise<void> {
    const left = this.add('before', before);
    const right = this.add('after', after);
    await vscode.commands.executeCommand('vscode.diff', left, right, title, { preview: true });
  }

  dispose(): void {
    this.registrations.forEach((registration) => {
      registration.dispose();
    });
    this.texts.clear();
  }

  private add(side: string, text: string): vscode.Uri {
    this.count += 1;
    // The ending makes it NIR; names from dumps stay out of it.
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${String(this.count)}/${side}.nir` });
    this.texts.set(uri.toString(), text);
    return uri;
  }
}
