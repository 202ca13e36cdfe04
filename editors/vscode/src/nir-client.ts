import * as vscode from 'vscode';
import {
  ExecuteCommandRequest,
  LanguageClient,
  RevealOutputChannelOn,
  type DynamicFeature,
  type ExecuteCommandRegistrationOptions,
  type StaticFeature,
} from 'vscode-languageclient/node';
import { pythonEnvironmentVariables } from './machine-probes';
import { LENS_COMMANDS, serverOnlyCommands } from './own-commands';
import type { Launch } from './server-lookup';

/** Documents that are sent to the server. */
const NIR_DOCUMENTS = [
  { scheme: 'file', language: 'nir' },
  { scheme: 'untitled', language: 'nir' },
];

/** Sends the server the commands of the extension that code lenses may use. */
const LENS_COMMANDS_ARE_KNOWN: StaticFeature = {
  fillClientCapabilities: (capabilities) => {
    const experimental = (capabilities.experimental ?? {}) as Record<string, unknown>;
    capabilities.experimental = { ...experimental, commands: { commands: [...LENS_COMMANDS] } };
  },
  initialize: () => undefined,
  getState: () => ({ kind: 'static' }),
  clear: () => undefined,
};

/** The language client; it does not register the extension's own commands. */
export class NirClient extends LanguageClient {
  private started = false;

  constructor(launch: Launch, output: vscode.LogOutputChannel, watcher: vscode.FileSystemWatcher) {
    super(
      'nirls',
      'NIR Language Server',
      { command: launch.command, args: [...launch.args], options: { env: pythonEnvironmentVariables() } },
      {
        documentSelector: NIR_DOCUMENTS,
        outputChannel: output,
        revealOutputChannelOn: RevealOutputChannelOn.Never,
        synchronize: {
          // For servers that do not register for workspace/didChangeConfiguration.
          // eslint-disable-next-line @typescript-eslint/no-deprecated
          configurationSection: 'nirls',
          fileEvents: watcher,
        },
        // The caller shows the error.
        initializationFailedHandler: () => false,
      },
    );
    this.registerFeature(LENS_COMMANDS_ARE_KNOWN);
  }

  override async start(): Promise<void> {
    await super.start();
    this.started = true;
  }

  /** Until the server has started, errors go to the log only; the caller shows one message. */
  override error(message: string, data?: unknown, showNotification?: boolean | 'force'): void {
    super.error(message, data, this.started ? showNotification : false);
  }

  override registerFeature(feature: StaticFeature | DynamicFeature<unknown>): void {
    if (isExecuteCommandFeature(feature)) {
      const register = feature.register.bind(feature);
      feature.register = (data) => {
        const commands = serverOnlyCommands(data.registerOptions.commands);
        register({ ...data, registerOptions: { ...data.registerOptions, commands } });
      };
    }
    super.registerFeature(feature);
  }
}

function isExecuteCommandFeature(
  feature: StaticFeature | DynamicFeature<unknown>,
): feature is DynamicFeature<ExecuteCommandRegistrationOptions> {
  return 'registrationType' in feature && feature.registrationType.method === ExecuteCommandRequest.method;
}
