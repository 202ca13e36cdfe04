import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import type { Probes } from './server-lookup';

const IMPORT_CHECK = "import importlib.util, sys; sys.exit(importlib.util.find_spec('nirls.server') is None)";

/** Time limit for starting an interpreter, in milliseconds. */
const IMPORT_CHECK_MILLISECONDS = 15_000;

/**
 * The environment of every Python that is started here. Without PYTHONSAFEPATH, Python would import a folder `nirls`
 * of the opened workspace instead of the installed package.
 */
export function pythonEnvironmentVariables(): NodeJS.ProcessEnv {
  return { ...process.env, PYTHONSAFEPATH: '1' };
}

export const machineProbes: Probes = {
  async isExecutable(file) {
    try {
      await access(file, constants.X_OK);
      return (await stat(file)).isFile();
    } catch {
      return false;
    }
  },

  hasNirls(interpreter) {
    return new Promise((resolve) => {
      execFile(
        interpreter,
        ['-c', IMPORT_CHECK],
        { cwd: tmpdir(), env: pythonEnvironmentVariables(), timeout: IMPORT_CHECK_MILLISECONDS, windowsHide: true },
        (error) => {
          resolve(error === null);
        },
      );
    });
  },
};
