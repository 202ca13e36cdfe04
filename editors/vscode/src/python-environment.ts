import * as vscode from 'vscode';

/** The part of the Python extension's API that is used here (extension `ms-python.python`, `environments`). */
interface PythonExtensionApi {
  readonly environments?: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { readonly path: string };
    resolveEnvironment(environment: {
      readonly path: string;
    }): Promise<{ readonly executable: { readonly uri?: vscode.Uri } } | undefined>;
    readonly onDidChangeActiveEnvironmentPath: vscode.Event<unknown>;
  };
}

const PYTHON_EXTENSION = 'ms-python.python';

/** The interpreter of the environment that is selected in the Python extension; undefined without one. */
export async function selectedInterpreter(log: vscode.LogOutputChannel): Promise<string | undefined> {
  const api = await pythonApi(log);
  if (api?.environments === undefined) {
    return undefined;
  }
  try {
    const active = api.environments.getActiveEnvironmentPath(vscode.workspace.workspaceFolders?.[0]?.uri);
    const environment = await api.environments.resolveEnvironment(active);
    return environment?.executable.uri?.fsPath;
  } catch (error) {
    log.warn(`The Python extension returned no environment: ${String(error)}`);
    return undefined;
  }
}

/** Calls `changed` when another environment is selected. Does nothing without the Python extension. */
export async function watchSelectedInterpreter(log: vscode.LogOutputChannel, changed: () => void): Promise<vscode.Disposable> {
  const api = await pythonApi(log);
  return api?.environments?.onDidChangeActiveEnvironmentPath(changed) ?? new vscode.Disposable(() => undefined);
}

async function pythonApi(log: vscode.LogOutputChannel): Promise<PythonExtensionApi | undefined> {
  const extension = vscode.extensions.getExtension<PythonExtensionApi | undefined>(PYTHON_EXTENSION);
  if (extension === undefined) {
    return undefined;
  }
  try {
    return await extension.activate();
  } catch (error) {
    log.warn(`The Python extension did not start: ${String(error)}`);
    return undefined;
  }
}
