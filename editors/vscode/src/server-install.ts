import { execFile } from 'node:child_process';
import { access, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { pythonEnvironmentVariables } from './machine-probes';
import { environmentInterpreter, INSTALL_COMMANDS, installSteps, VERSION_CHECK, type Step } from './install-steps';

/** Creates a Python environment in the extension's storage and installs the bundled server into it. */
export class ServerInstall {
  /** The path of the environment's interpreter; it may not exist yet. */
  readonly interpreter: string;
  private readonly folder: string;

  constructor(
    storage: vscode.Uri,
    private readonly extension: vscode.Uri,
    private readonly output: vscode.LogOutputChannel,
  ) {
    this.folder = vscode.Uri.joinPath(storage, 'server').fsPath;
    this.interpreter = environmentInterpreter(this.folder, process.platform);
  }

  /** Installs with the first interpreter that is new enough. Shows errors; returns whether it succeeded. */
  async run(interpreters: readonly string[]): Promise<boolean> {
    const source = await this.source();
    if (source === undefined) {
      await this.tellCommands();
      return false;
    }
    const python = await this.firstUsable(interpreters);
    if (python === undefined) {
      void vscode.window.showErrorMessage('Installing nirls needs Python 3.11 or newer, with the module venv.');
      return false;
    }
    const options = { location: vscode.ProgressLocation.Notification, title: 'Installing nirls', cancellable: true };
    return vscode.window.withProgress(options, async (progress, token) => {
      for (const step of installSteps(python, this.folder, source, process.platform)) {
        progress.report({ message: step.title });
        try {
          await this.execute(step, token);
        } catch (error) {
          this.output.error(String(error));
          if (!token.isCancellationRequested) {
            void vscode.window.showErrorMessage(`nirls was not installed: ${step.title} failed. See the output for the reason.`);
          }
          return false;
        }
      }
      return true;
    });
  }

  /** This build has no server: shows the commands that install one, and copies them if that is wanted. */
  private async tellCommands(): Promise<void> {
    const copy = 'Copy';
    const message = `This build of the extension has no server. Run in a checkout of nirls, then set nirls.path: ${INSTALL_COMMANDS.join('; ')}`;
    if ((await vscode.window.showInformationMessage(message, copy)) === copy) {
      await vscode.env.clipboard.writeText(INSTALL_COMMANDS.join('\n'));
    }
  }

  /** The argument of pip install: the sources packed with the extension, or the checkout that contains it. */
  private async source(): Promise<string | undefined> {
    // The extension folder may be a link into a checkout.
    const folder = await realpath(this.extension.fsPath);
    const packed = path.join(folder, 'server', 'nirls.tar.gz');
    const checkout = path.join(folder, '..', '..');
    if (await exists(packed)) {
      return packed;
    }
    return (await exists(path.join(checkout, 'pyproject.toml'))) ? checkout : undefined;
  }

  private async firstUsable(interpreters: readonly string[]): Promise<string | undefined> {
    for (const python of interpreters) {
      try {
        await this.execute({ title: '', command: python, args: ['-c', VERSION_CHECK] });
        return python;
      } catch {
        this.output.info(`${python} cannot be used to install nirls`);
      }
    }
    return undefined;
  }

  private execute(step: Step, token?: vscode.CancellationToken): Promise<void> {
    return new Promise((resolve, reject) => {
      const options = { cwd: tmpdir(), env: pythonEnvironmentVariables(), windowsHide: true, maxBuffer: 1 << 26 };
      const child = execFile(step.command, step.args, options, (error, stdout, stderr) => {
        const said = [stdout, stderr].join('\n').trim();
        if (said !== '') {
          this.output.info(said);
        }
        if (error === null) {
          resolve();
        } else {
          reject(new Error(`${step.command} ${step.args.join(' ')}: ${error.message}`));
        }
      });
      token?.onCancellationRequested(() => child.kill());
    });
  }
}

async function exists(file: string): Promise<boolean> {
  try {
    await access(file);
    return true;
  } catch {
    return false;
  }
}
