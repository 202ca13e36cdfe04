import * as vscode from 'vscode';
import { describeDump, diffTitle, whyNothing, type KnownPass, type Preview, type PreviewedDump } from './pass-preview';
import type { SnapshotDocuments } from './snapshot-documents';

/** Requests of a preview to the server. */
export interface PreviewSource {
  knownPasses(): Promise<KnownPass[]>;
  /** `place` is the number of a dump from 0, or a position in it. Without passes: a preview of linking. */
  preview(document: vscode.Uri, place: number | vscode.Position, passes: string[]): Promise<Preview | undefined>;
  applyPass(document: vscode.Uri, dump: number, pass: string): Promise<void>;
}

/** Shows the changes of passes in the diff editor before they are applied. */
export class PassPreview {
  constructor(
    private readonly source: PreviewSource,
    private readonly snapshots: SnapshotDocuments,
  ) {}

  /** Previews the passes of a code action (URI, number of the dump, names), or a pass that the user picks for the dump at the cursor. */
  async show(target?: unknown, dump?: unknown, passes?: unknown): Promise<void> {
    if (typeof target === 'string' && typeof dump === 'number' && isNames(passes)) {
      await this.showOf(vscode.Uri.parse(target, true), dump, passes);
      return;
    }
    const editor = nirEditor();
    const pass = editor === undefined ? undefined : await this.choosePass();
    if (editor !== undefined && pass !== undefined) {
      await this.showOf(editor.document.uri, editor.selection.active, [pass]);
    }
  }

  /** Previews linking of the pipeline at the cursor, with clean-up. */
  async whatIf(): Promise<void> {
    const editor = nirEditor();
    if (editor !== undefined) {
      await this.showOf(editor.document.uri, editor.selection.active, []);
    }
  }

  private async showOf(document: vscode.Uri, place: number | vscode.Position, passes: string[]): Promise<void> {
    const progress = { location: vscode.ProgressLocation.Window, title: 'Running passes' };
    const preview = await vscode.window.withProgress(progress, () => this.source.preview(document, place, passes));
    if (preview === undefined) {
      return;
    }
    const nothing = whyNothing(preview);
    if (nothing !== undefined) {
      void vscode.window.showInformationMessage(nothing);
      return;
    }
    const dump = await chooseDump(preview);
    if (dump === undefined) {
      return;
    }
    const close = await this.snapshots.diff(dump.before, dump.after, diffTitle(preview, dump));
    void this.offerToApply(dump, preview.passes, close);
  }

  private async offerToApply(dump: PreviewedDump, passes: readonly string[], close: () => Promise<void>): Promise<void> {
    const apply = 'Apply';
    const answer = await vscode.window.showInformationMessage(`Apply ${passes.join(', ')} as shown?`, apply);
    if (answer === apply) {
      await close();
      for (const pass of passes) {
        await this.source.applyPass(vscode.Uri.parse(dump.uri, true), dump.number, pass);
      }
    }
  }

  private async choosePass(): Promise<string | undefined> {
    const passes = (await this.source.knownPasses()).filter(({ changes }) => changes);
    const items = passes.map(({ name, summary, scope }) => ({
      label: name,
      description: scope === 'pipeline' ? 'linked stages' : '',
      detail: summary,
    }));
    const options = { title: 'Preview a Pass', placeHolder: 'Pass', matchOnDetail: true };
    return (await vscode.window.showQuickPick(items, options))?.label;
  }
}

async function chooseDump(preview: Preview): Promise<PreviewedDump | undefined> {
  const changed = preview.dumps.filter((dump) => dump.changed);
  if (preview.dumps.length === 1 || changed.length === 0) {
    return changed[0];
  }
  const items = preview.dumps.map((dump) => ({ ...describeDump(dump), dump }));
  const picked = await vscode.window.showQuickPick(items, { title: preview.title, placeHolder: 'Stage' });
  return picked?.dump;
}

function nirEditor(): vscode.TextEditor | undefined {
  const editor = vscode.window.activeTextEditor;
  if (editor?.document.languageId !== 'nir') {
    void vscode.window.showInformationMessage('Open a NIR file and put the cursor into a dump.');
    return undefined;
  }
  return editor;
}

function isNames(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}
