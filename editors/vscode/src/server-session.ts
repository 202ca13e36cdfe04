import { homedir } from 'node:os';
import * as vscode from 'vscode';
import { ExecuteCommandRequest, State } from 'vscode-languageclient/node';
import type { LinkStatus } from './link-status';
import { machineProbes } from './machine-probes';
import { NirClient } from './nir-client';
import type { PackingAnswer } from './packing-page';
import { selectedInterpreter } from './python-environment';
import { describeLaunch, describeMissingServer, findServer, type Attempt, type Launch, type Lookup, type ServerSource } from './server-lookup';
import type { ServerStatus } from './server-status';
import { readLaunchSettings } from './settings';

/** The one running server of a window: looked up, started, restarted and stopped here. */
export class ServerSession implements vscode.Disposable {
  private client: NirClient | undefined;
  /** Where the last server came from; undefined after a search without success. */
  private source: ServerSource | undefined;
  private searched = false;
  /** Starts and stops follow each other, however fast they are asked for. */
  private pending: Promise<void> = Promise.resolve();
  private readonly statusEmitter = new vscode.EventEmitter<ServerStatus>();
  private readonly watcher = vscode.workspace.createFileSystemWatcher('**/{nirls.toml,*.nir}');

  private readonly linksEmitter = new vscode.EventEmitter<void>();

  readonly onDidChangeStatus = this.statusEmitter.event;
  /** The links of some document changed. */
  readonly onDidChangeLinks = this.linksEmitter.event;

  constructor(
    private readonly output: vscode.LogOutputChannel,
    private readonly installGuide: vscode.Uri,
  ) {}

  /** Stops the server, if one runs, and starts the one that is found now. */
  restart(): Promise<void> {
    return this.enqueue(async () => {
      await this.stopClient();
      await this.startClient();
    });
  }

  /** Starts the server for the first document; later documents neither start it again nor repeat the complaint. */
  startOnce(): Promise<void> {
    return this.enqueue(async () => {
      if (!this.searched) {
        await this.startClient();
      }
    });
  }

  /** The settings name another server: starts it, if one was wanted before. */
  async settingsChanged(): Promise<void> {
    if (this.searched) {
      await this.restart();
    }
  }

  /** Another environment was selected: looks again, unless the server comes from somewhere else. */
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
    if (this.client === undefined) {
      return;
    }
    const uri = this.client.code2ProtocolConverter.asUri(document);
    try {
      await this.client.sendRequest(ExecuteCommandRequest.type, { command: 'nirls.runPasses', arguments: [uri] });
    } catch (error) {
      this.output.error(`nirls.runPasses: ${messageOf(error)}`);
      void vscode.window.showErrorMessage(`The passes did not run: ${messageOf(error)}`);
    }
  }

  /** With whom the dump at a position is linked; undefined without a server, or with one that does not say. */
  async linkStatus(document: vscode.Uri, position: vscode.Position): Promise<LinkStatus | undefined> {
    const client = this.client;
    if (client === undefined) {
      return undefined;
    }
    try {
      return await client.sendRequest<LinkStatus>('nirls/linkStatus', {
        textDocument: { uri: client.code2ProtocolConverter.asUri(document) },
        position: client.code2ProtocolConverter.asPosition(position),
      });
    } catch (error) {
      this.output.debug(`nirls/linkStatus: ${messageOf(error)}`);
      return undefined;
    }
  }

  /** How the varyings of the dump at a position are packed; undefined without a server that can say so. */
  async packing(document: vscode.Uri, position: vscode.Position): Promise<PackingAnswer | undefined> {
    const client = this.client;
    if (client === undefined) {
      return undefined;
    }
    try {
      return await client.sendRequest<PackingAnswer>('nirls/packing', {
        textDocument: { uri: client.code2ProtocolConverter.asUri(document) },
        position: client.code2ProtocolConverter.asPosition(position),
      });
    } catch (error) {
      this.output.debug(`nirls/packing: ${messageOf(error)}`);
      return undefined;
    }
  }

  dispose(): void {
    this.watcher.dispose();
    this.statusEmitter.dispose();
    this.linksEmitter.dispose();
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
      // Not awaited: the message stays until someone answers it.
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
        this.statusEmitter.fire({ kind: 'failed', launch, reason: 'the server ended' });
      }
    });
    client.onNotification('nirls/linkStatusChanged', () => {
      this.linksEmitter.fire();
    });
    try {
      await client.start();
      this.client = client;
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
      // A server that hangs or is already gone must not keep the next one from starting.
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
    return findServer(settings, await selectedInterpreter(this.output), searchPath, machineProbes);
  }

  private async offerHelp(attempts: readonly Attempt[]): Promise<void> {
    const openSettings = 'Open Settings';
    const howToInstall = 'How to Install';
    const answer = await vscode.window.showWarningMessage(describeMissingServer(attempts), openSettings, howToInstall);
    if (answer === openSettings) {
      await vscode.commands.executeCommand('workbench.action.openSettings', '@ext:nirls.nirls');
    } else if (answer === howToInstall) {
      await vscode.commands.executeCommand('markdown.showPreview', this.installGuide);
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

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
