import * as vscode from 'vscode';
import {
  CloseAction,
  ErrorAction,
  ExecuteCommandRequest,
  LanguageClient,
  RevealOutputChannelOn,
  vsdiag,
  type DynamicFeature,
  type ExecuteCommandRegistrationOptions,
  type StaticFeature,
} from 'vscode-languageclient/node';
import { pythonEnvironmentVariables } from './machine-probes';
import { LENS_COMMANDS, SHOW_TRANSITION, serverOnlyCommands } from './own-commands';
import type { Launch } from './server-lookup';

/** Documents that are sent to the server. */
const NIR_DOCUMENTS = [
  { scheme: 'file', language: 'nir' },
  { scheme: 'untitled', language: 'nir' },
];

/** Sends the server the commands that code lenses, code actions and links in hovers may use. */
const COMMANDS_ARE_KNOWN: StaticFeature = {
  fillClientCapabilities: (capabilities) => {
    const experimental = (capabilities.experimental ?? {}) as Record<string, unknown>;
    capabilities.experimental = { ...experimental, commands: { commands: [...LENS_COMMANDS, SHOW_TRANSITION] } };
  },
  initialize: () => undefined,
  getState: () => ({ kind: 'static' }),
  clear: () => undefined,
};

/** Makes the links of codes show pages rendered, not as Markdown text. */
function openPagesRendered(diagnostics: readonly vscode.Diagnostic[]): void {
  for (const diagnostic of diagnostics) {
    const { code } = diagnostic;
    if (typeof code === 'object' && code.target.scheme === 'file' && code.target.path.endsWith('.md')) {
      const page = encodeURIComponent(JSON.stringify([code.target]));
      diagnostic.code = { ...code, target: vscode.Uri.parse(`command:markdown.showPreview?${page}`) };
    }
  }
}

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
        // Texts of the server hold parts of dumps: no other command may be run by a link in them.
        markdown: { isTrusted: { enabledCommands: [SHOW_TRANSITION] } },
        // The session offers a restart.
        errorHandler: {
          error: () => ({ action: ErrorAction.Continue }),
          closed: () => ({ action: CloseAction.DoNotRestart, handled: true }),
        },
        middleware: {
          handleDiagnostics: (uri, diagnostics, next) => {
            openPagesRendered(diagnostics);
            next(uri, diagnostics);
          },
          provideDiagnostics: async (document, previousResultId, token, next) => {
            const report = await next(document, previousResultId, token);
            if (report?.kind === vsdiag.DocumentDiagnosticReportKind.full) {
              openPagesRendered(report.items);
            }
            return report;
          },
        },
        // The caller shows the error.
        initializationFailedHandler: () => false,
      },
    );
    this.registerFeature(COMMANDS_ARE_KNOWN);
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
