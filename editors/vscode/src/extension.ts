import * as vscode from 'vscode';
import { GraphView } from './graph-view';
import { LinkWatch } from './link-watch';
import { LogOffer } from './log-offer';
import { OWN_COMMANDS, SAVE_FILES } from './own-commands';
import { PackingView } from './packing-view';
import { PassPreview } from './preview';
import { watchSelectedInterpreter } from './python-environment';
import { RelatedMarks } from './related-marks';
import { ServerInstall } from './server-install';
import { ServerSession } from './server-session';
import { LAUNCH_SETTINGS } from './settings';
import { SnapshotDocuments } from './snapshot-documents';
import { StatusItem } from './status-item';
import { TimelineView } from './timeline-view';

/** The kind of the code actions that run the shader at the cursor, or hide its values. */
const RUN_KIND = 'source.run.nirls';

let activeSession: ServerSession | undefined;

export function activate(context: vscode.ExtensionContext): void {
  const output = vscode.window.createOutputChannel('NIR Language Server', { log: true });
  const session = new ServerSession(
    output,
    vscode.Uri.joinPath(context.extensionUri, 'docs', 'install.md'),
    new ServerInstall(context.globalStorageUri, context.extensionUri, output),
    vscode.Uri.joinPath(context.extensionUri, 'bundled', 'nirls', process.platform === 'win32' ? 'nirls.exe' : 'nirls').fsPath,
  );
  const status = new StatusItem();
  const links = new LinkWatch(
    (document, position) => session.linkStatus(document, position),
    (shown) => {
      status.showLinks(shown);
    },
  );
  const packing = new PackingView((document, position) => session.packing(document, position));
  const snapshots = new SnapshotDocuments();
  const timeline = new TimelineView(session, snapshots, vscode.Uri.joinPath(context.extensionUri, 'dist'));
  const preview = new PassPreview(session, snapshots);
  const graphs = new GraphView((document, position, kind, whole) => session.graph(document, position, kind, whole));
  const logOffer = new LogOffer();
  let watchesEnvironment = false;

  const consider = (document: vscode.TextDocument): void => {
    if (document.languageId !== 'nir') {
      void logOffer.consider(document);
      return;
    }
    void session.startOnce();
    if (!watchesEnvironment) {
      watchesEnvironment = true;
      void watchSelectedInterpreter(output, () => void session.environmentChanged()).then((watch) =>
        context.subscriptions.push(watch),
      );
    }
  };

  activeSession = session;
  context.subscriptions.push(
    output,
    session,
    status,
    links,
    packing,
    snapshots,
    timeline,
    graphs,
    new RelatedMarks(),
    session.onDidChangeStatus((serverStatus) => {
      status.show(serverStatus);
      timeline.updateSoon();
      links.updateSoon();
    }),
    session.onDidChangeLinks(() => {
      links.updateSoon();
    }),
    session.onDidChangeTimeline(() => {
      timeline.updateSoon();
    }),
    ...registerCommands(session, output, { packing, timeline, preview, graphs, logOffer }),
    vscode.workspace.onDidOpenTextDocument(consider),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (LAUNCH_SETTINGS.some((name) => event.affectsConfiguration(name))) {
        void session.settingsChanged();
      }
    }),
  );
  vscode.workspace.textDocuments.forEach(consider);
}

export async function deactivate(): Promise<void> {
  await activeSession?.stop();
  activeSession = undefined;
}

/** Views that commands open. */
interface Views {
  packing: PackingView;
  timeline: TimelineView;
  preview: PassPreview;
  graphs: GraphView;
  logOffer: LogOffer;
}

function registerCommands(session: ServerSession, output: vscode.LogOutputChannel, views: Views): vscode.Disposable[] {
  const { packing, timeline, preview, graphs, logOffer } = views;
  type Action = (target?: unknown, second?: unknown, third?: unknown) => unknown;
  const actions: Record<(typeof OWN_COMMANDS)[number], Action> = {
    'nirls.restart': () => session.restart(),
    'nirls.installServer': () => session.install(),
    'nirls.runPasses': (target) => runPasses(session, target),
    'nirls.runShader': () => vscode.commands.executeCommand('editor.action.codeAction', { kind: RUN_KIND, apply: 'first' }),
    'nirls.renumber': () => renumber(session),
    'nirls.writeBugReport': (pass) => writeBugReport(session, pass),
    'nirls.showOutput': () => {
      output.show();
    },
    'nirls.setLanguage': () => treatActiveFileAsNir(logOffer),
    'nirls.showPacking': (target, line) => packing.show(target, line),
    'nirls.previewPass': (target, dump, passes) => preview.show(target, dump, passes),
    'nirls.whatIf': () => preview.whatIf(),
    'nirls.showGraph': (kind) => graphs.show(kind),
    'nirls.showTimeline': (target, dump) => timeline.show(target, dump),
    'nirls.followValue': () => timeline.followValue(),
    'nirls.showBlame': () => timeline.showBlame(),
  };
  return [
    ...OWN_COMMANDS.map((command) => vscode.commands.registerCommand(command, actions[command])),
    vscode.commands.registerCommand(SAVE_FILES, saveFiles),
  ];
}

/** Saves the given files that have changes, and names them: a fix on save changed them too. */
async function saveFiles(...uris: unknown[]): Promise<void> {
  const wanted = new Set(uris.map(String));
  const saved: string[] = [];
  for (const document of vscode.workspace.textDocuments) {
    if (document.isDirty && wanted.has(document.uri.toString()) && (await document.save())) {
      saved.push(vscode.workspace.asRelativePath(document.uri));
    }
  }
  if (saved.length > 0) {
    void vscode.window.showInformationMessage(`nirls also fixed and saved ${saved.join(', ')}.`);
  }
}

/** Runs the passes on a document: the active one, or the one that a menu or code lens passes as argument. */
async function runPasses(session: ServerSession, target: unknown): Promise<void> {
  const document = documentOf(target) ?? vscode.window.activeTextEditor?.document.uri;
  if (document === undefined) {
    void vscode.window.showInformationMessage('Open a NIR file to run the passes on.');
    return;
  }
  await session.runPasses(document);
}

/** Renumbers the values and blocks of every dump of the active document. */
async function renumber(session: ServerSession): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor !== undefined) {
    await session.execute('nirls.renumber', (asUri) => [asUri(editor.document.uri)]);
  }
}

/** Writes and opens a bug report about a failed pass, by default the last one. */
async function writeBugReport(session: ServerSession, pass: unknown): Promise<void> {
  const file = await session.execute('nirls.writeBugReport', () => (typeof pass === 'string' ? [pass] : []));
  if (typeof file === 'string') {
    await vscode.window.showTextDocument(vscode.Uri.file(file));
  } else {
    void vscode.window.showInformationMessage('No pass has failed since the server was started.');
  }
}

function documentOf(target: unknown): vscode.Uri | undefined {
  if (target instanceof vscode.Uri) {
    return target;
  }
  return typeof target === 'string' ? vscode.Uri.parse(target, true) : undefined;
}

async function treatActiveFileAsNir(logOffer: LogOffer): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  if (document !== undefined) {
    const nir = await vscode.languages.setTextDocumentLanguage(document, 'nir');
    await logOffer.offerAlways(nir);
  }
}
