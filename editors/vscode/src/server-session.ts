import { homedir } from 'node:os';
import * as vscode from 'vscode';
import { ExecuteCommandRequest, State } from 'vscode-languageclient/node';
import type { GraphAnswer, GraphKind } from './graph-page';
import type { LinkStatus } from './link-status';
import { machineProbes } from './machine-probes';
import { NirClient } from './nir-client';
import { SHOW_TRANSITION } from './own-commands';
import type { PackingAnswer } from './packing-page';
import type { KnownPass, Preview } from './pass-preview';
import type { Timeline } from './pass-timeline';
import { selectedInterpreter } from './python-environment';
import type { ServerInstall } from './server-install';
import { describeLaunch, describeMissingServer, findServer, type Attempt, type Launch, type Lookup, type ServerSource } from './server-lookup';
import type { ServerStatus } from './server-status';
import { readLaunchSettings } from './settings';
import type { SnapshotDiff } from './snapshot-diff';
import type { Blame, ValueHistory } from './timeline-messages';
import type { ValuePlace } from './timeline-view';
import { Restarts } from './restarts';

/** Looks up, starts, restarts and stops the server of a window. */
export class ServerSession implements vscode.Disposable {
  private client: NirClient | undefined;
  private readonly ends = new Restarts();
  /** The source of the last server; undefined after a failed search. */
  private source: ServerSource | undefined;
  private searched = false;
  /** Queue of starts and stops. */
  private pending: Promise<void> = Promise.resolve();
  private readonly statusEmitter = new vscode.EventEmitter<ServerStatus>();
  private readonly watcher = vscode.workspace.createFileSystemWatcher('**/{nirls.toml,*.nir}');

  private readonly linksEmitter = new vscode.EventEmitter<void>();

  readonly onDidChangeStatus = this.statusEmitter.event;
  /** Fires when the links of a document changed. */
  readonly onDidChangeLinks = this.linksEmitter.event;
  private readonly timelineEmitter = new vscode.EventEmitter<void>();
  /** There are new verdicts on the passes of a log. */
  readonly onDidChangeTimeline = this.timelineEmitter.event;

  constructor(
    private readonly output: vscode.LogOutputChannel,
    private readonly installGuide: vscode.Uri,
    private readonly installation: ServerInstall,
    private readonly bundled: string,
  ) {}

  /** Stops the server if one runs, looks it up again and starts it. */
  restart(): Promise<void> {
    return this.enqueue(async () => {
      await this.stopClient();
      await this.startClient();
    });
  }

  /** Installs the bundled server and starts it. */
  async install(): Promise<void> {
    const selected = await selectedInterpreter(this.output);
    const onPath = process.platform === 'win32' ? ['py', 'python'] : ['python3', 'python'];
    if (await this.installation.run([...(selected === undefined ? [] : [selected]), ...onPath])) {
      await this.restart();
    }
  }

  /** Starts the server for the first NIR document; does nothing for later ones. */
  startOnce(): Promise<void> {
    return this.enqueue(async () => {
      if (!this.searched) {
        await this.startClient();
      }
    });
  }

  /** Restarts the server after its settings changed, if one was started before. */
  async settingsChanged(): Promise<void> {
    if (this.searched) {
      await this.restart();
    }
  }

  /** Restarts the server after another Python environment was selected, if it came from there. */
  async environmentChanged(): Promise<void> {
    if (this.searched && (this.source === undefined || this.source === 'Python environment')) {
      await this.restart();
    }
  }

  stop(): Promise<void> {
    return this.enqueue(() => this.stopClient());
  }

  /** Runs the passes on a document. */
  async runPasses(document: vscode.Uri): Promise<void> {
    await this.enqueue(async () => {
      if (this.client === undefined) {
        await this.startClient();
      }
    });
    await this.execute('nirls.runPasses', (asUri) => [asUri(document)], 'The passes did not run');
  }

  /** The links of the dump at a position. */
  linkStatus(document: vscode.Uri, position: vscode.Position): Promise<LinkStatus | undefined> {
    return this.ask('nirls/linkStatus', document, { position: asPosition(position) });
  }

  /** The packing of the varyings of the dump at a position. */
  packing(document: vscode.Uri, position: vscode.Position): Promise<PackingAnswer | undefined> {
    return this.ask('nirls/packing', document, { position: asPosition(position) });
  }

  /** The passes of a log, those that changed nothing included. */
  timeline(document: vscode.Uri): Promise<Timeline | undefined> {
    return this.ask('nirls/timeline', document, { hidden: true });
  }

  /** Two snapshots of a log, numbered alike and aligned. */
  snapshotDiff(document: vscode.Uri, before: number, after: number): Promise<SnapshotDiff | null | undefined> {
    return this.ask('nirls/snapshotDiff', document, { before, after });
  }

  /** What the passes did to a value. */
  valueHistory(document: vscode.Uri, place: vscode.Position | ValuePlace): Promise<ValueHistory | null | undefined> {
    const where = place instanceof vscode.Position ? { position: asPosition(place) } : place;
    return this.ask('nirls/valueHistory', document, where);
  }

  /** The pass that changed each line last, of a dump or of the last snapshot of the shader at a position. */
  blame(document: vscode.Uri, place: vscode.Position | number): Promise<Blame | null | undefined> {
    const where = typeof place === 'number' ? { dump: place } : { position: asPosition(place), last: true };
    return this.ask('nirls/blame', document, where);
  }

  /** The dumps after the passes that touch a value of a dump, or a name. */
  async touchingPasses(document: vscode.Uri, dump: number, what: string): Promise<number[]> {
    return (await this.ask<{ dumps: number[] }>('nirls/touchingPasses', document, { dump, what }))?.dumps ?? [];
  }

  /** The register pressure of some dumps. */
  async registerPressure(document: vscode.Uri, dumps: number[]): Promise<Record<string, number>> {
    const answer = await this.ask<{ pressures: Record<string, number> }>('nirls/registerPressure', document, { dumps });
    return answer?.pressures ?? {};
  }

  /** Shows both snapshots with the values of the counterexample, in a file of its own. */
  showValues(document: vscode.Uri, dump: number): Promise<unknown> {
    return this.execute(SHOW_TRANSITION, (asUri) => [asUri(document), dump, 'values'], 'The values cannot be shown');
  }

  /** A graph of the shader or the pipeline at a position. */
  graph(document: vscode.Uri, position: vscode.Position, kind: GraphKind, whole: boolean): Promise<GraphAnswer | undefined> {
    return this.ask('nirls/graph', document, { position: asPosition(position), kind, whole, svg: true });
  }

  /** The passes of the server. */
  async knownPasses(): Promise<KnownPass[]> {
    try {
      return (await this.client?.sendRequest<{ passes: KnownPass[] }>('nirls/passes', {}))?.passes ?? [];
    } catch (error) {
      this.output.debug(`nirls/passes: ${messageOf(error)}`);
      return [];
    }
  }

  /** A preview of passes; shows an error and returns undefined if it fails. */
  async preview(document: vscode.Uri, place: number | vscode.Position, passes: string[]): Promise<Preview | undefined> {
    const dump = typeof place === 'number' ? { number: place } : { position: asPosition(place) };
    const preview = await this.ask<Preview | null>('nirls/preview', document, { ...dump, passes }, (reason) => {
      void vscode.window.showErrorMessage(`The preview failed: ${reason}`);
    });
    if (preview === null) {
      void vscode.window.showInformationMessage('There is no dump at the cursor, or no such pass.');
    }
    return preview ?? undefined;
  }

  /** Applies a pass to a dump of a document. */
  async applyPass(document: vscode.Uri, dump: number, pass: string): Promise<void> {
    await this.execute('nirls.applyPass', (asUri) => [asUri(document), dump, pass], `${pass} was not applied`);
  }

  /** The result of a server command; undefined without a server, or if it failed (the error is shown). */
  async execute(
    command: string,
    withUris: (asUri: (uri: vscode.Uri) => string) => unknown[],
    complaint = `${command} failed`,
  ): Promise<unknown> {
    const client = this.client;
    if (client === undefined) {
      return undefined;
    }
    const args = withUris((uri) => client.code2ProtocolConverter.asUri(uri));
    try {
      return await client.sendRequest(ExecuteCommandRequest.type, { command, arguments: args });
    } catch (error) {
      this.output.error(`${command}: ${messageOf(error)}`);
      void vscode.window.showErrorMessage(`${complaint}: ${messageOf(error)}`);
      return undefined;
    }
  }

  dispose(): void {
    this.watcher.dispose();
    this.statusEmitter.dispose();
    this.linksEmitter.dispose();
    this.timelineEmitter.dispose();
  }

  /** The result of a request about a document; undefined without a server, or if it failed. */
  private async ask<Answer>(
    method: string,
    document: vscode.Uri,
    more: object,
    failed?: (reason: string) => void,
  ): Promise<Answer | undefined> {
    const client = this.client;
    if (client === undefined) {
      return undefined;
    }
    try {
      const textDocument = { uri: client.code2ProtocolConverter.asUri(document) };
      return await client.sendRequest<Answer>(method, { textDocument, ...more });
    } catch (error) {
      this.output.debug(`${method}: ${messageOf(error)}`);
      failed?.(messageOf(error));
      return undefined;
    }
  }

  private enqueue(step: () => Promise<void>): Promise<void> {
    this.pending = this.pending.then(step, step);
    return this.pending;
  }

  private async startClient(): Promise<void> {
    const lookup = await this.lookUp();
    this.searched = true;
    this.source = lookup.kind === 'found' ? lookup.launch.source : undefined;
    if (lookup.kind === 'missing') {
      this.statusEmitter.fire(lookup);
      this.output.warn(describeMissingServer(lookup.attempts));
      // Not awaited: the message stays until it is dismissed.
      void this.offerHelp(lookup.attempts);
      return;
    }
    await this.launch(lookup.launch);
  }

  private async launch(launch: Launch): Promise<void> {
    this.statusEmitter.fire({ kind: 'starting', launch });
    this.output.info(`Starting ${describeLaunch(launch)} (from ${launch.source})`);
    const client = new NirClient(launch, this.output, this.watcher);
    client.onDidChangeState(({ newState }) => {
      if (this.client !== client) {
        return;
      }
      if (newState === State.Running) {
        this.statusEmitter.fire({ kind: 'running', launch, version: client.initializeResult?.serverInfo?.version });
      } else if (newState === State.Stopped) {
        this.ended(launch);
      }
    });
    client.onNotification('nirls/linkStatusChanged', () => {
      this.linksEmitter.fire();
    });
    client.onNotification('nirls/timelineChanged', () => {
      this.timelineEmitter.fire();
    });
    try {
      await client.start();
      this.client = client;
      if (client.state === State.Stopped) {
        // It ended before its state was followed.
        this.ended(launch);
        return;
      }
      this.statusEmitter.fire({ kind: 'running', launch, version: client.initializeResult?.serverInfo?.version });
    } catch (error) {
      await this.disposeClient(client);
      this.statusEmitter.fire({ kind: 'failed', launch, reason: messageOf(error) });
      this.output.error(`${describeLaunch(launch)}: ${messageOf(error)}`);
      void this.offerOutput(launch, messageOf(error));
    }
  }

  private async stopClient(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    if (client === undefined) {
      return;
    }
    this.statusEmitter.fire({ kind: 'stopped' });
    await this.disposeClient(client);
  }

  private async disposeClient(client: NirClient): Promise<void> {
    try {
      await client.dispose();
    } catch (error) {
      // A server that hangs or has exited must not block the next one.
      this.output.warn(`The server did not stop cleanly: ${messageOf(error)}`);
    }
  }

  private async lookUp(): Promise<Lookup> {
    const configuration = vscode.workspace.getConfiguration('nirls');
    const settings = readLaunchSettings((name) => configuration.get(name), {
      home: homedir(),
      workspaceFolder: vscode.workspace.workspaceFolders?.[0]?.uri.fsPath,
      environment: process.env,
    });
    const searchPath = { value: process.env['PATH'] ?? '', platform: process.platform };
    const own = { interpreter: this.installation.interpreter, bundled: this.bundled };
    return findServer(settings, await selectedInterpreter(this.output), searchPath, own, machineProbes);
  }

  private async offerHelp(attempts: readonly Attempt[]): Promise<void> {
    const install = 'Install';
    const openSettings = 'Open Settings';
    const howToInstall = 'How to Install';
    const message = describeMissingServer(attempts);
    const answer = await vscode.window.showWarningMessage(message, install, openSettings, howToInstall);
    if (answer === install) {
      await this.install();
    } else if (answer === openSettings) {
      await vscode.commands.executeCommand('workbench.action.openSettings', '@ext:nirls.nirls');
    } else if (answer === howToInstall) {
      await vscode.commands.executeCommand('markdown.showPreview', this.installGuide);
    }
  }

  private ended(launch: Launch): void {
    this.statusEmitter.fire({ kind: 'failed', launch, reason: 'the server ended' });
    void this.restartOrAsk();
  }

  /** Starts the server again after it ended by itself, unless it has done so three times within three minutes. */
  private async restartOrAsk(): Promise<void> {
    if (this.ends.mayRestart(Date.now())) {
      this.output.warn('The server ended unexpectedly and is started again.');
      await this.restart();
    } else {
      await this.offerRestart();
    }
  }

  /** Offers to start the server again after it ended by itself. */
  private async offerRestart(): Promise<void> {
    const restart = 'Restart';
    const showOutput = 'Show Output';
    const message = 'The NIR language server ended unexpectedly.';
    const answer = await vscode.window.showErrorMessage(message, restart, showOutput);
    if (answer === restart) {
      await this.restart();
    } else if (answer === showOutput) {
      this.output.show();
    }
  }

  private async offerOutput(launch: Launch, reason: string): Promise<void> {
    const showOutput = 'Show Output';
    const answer = await vscode.window.showErrorMessage(
      `The NIR language server (${describeLaunch(launch)}) did not start: ${reason}`,
      showOutput,
    );
    if (answer === showOutput) {
      this.output.show();
    }
  }
}

function asPosition({ line, character }: vscode.Position): { line: number; character: number } {
  return { line, character };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
