import * as vscode from 'vscode';
import { relatedPlaces } from './related-places';

/** Debounce time of changed diagnostics, in milliseconds. */
const PAUSE = 150;

/**
 * Marks the related places of findings in the visible editors with a faint dotted line.
 * The places are no problems of their own: the finding stands at its cause only.
 */
export class RelatedMarks implements vscode.Disposable {
  private readonly mark = vscode.window.createTextEditorDecorationType({
    border: 'dotted',
    borderWidth: '0 0 1px 0',
    borderColor: new vscode.ThemeColor('editorLineNumber.foreground'),
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
  });
  private readonly listeners: vscode.Disposable[];
  private timer: NodeJS.Timeout | undefined;

  constructor() {
    const update = (): void => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => {
        this.update();
      }, PAUSE);
    };
    this.listeners = [vscode.languages.onDidChangeDiagnostics(update), vscode.window.onDidChangeVisibleTextEditors(update)];
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.listeners.forEach((listener) => {
      listener.dispose();
    });
    this.mark.dispose();
  }

  private update(): void {
    const editors = vscode.window.visibleTextEditors.filter(({ document }) => document.languageId === 'nir');
    const all = editors.length > 0 ? vscode.languages.getDiagnostics() : [];
    for (const editor of editors) {
      const places = relatedPlaces(all, editor.document.uri.toString());
      editor.setDecorations(
        this.mark,
        places.map(({ range, findings }) => ({
          range,
          hoverMessage: findings.map((finding) => new vscode.MarkdownString(finding)),
        })),
      );
    }
  }
}
