import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import type { Probes } from './server-lookup';

/** The user's packages are added again, which `-I` leaves out together with the current folder. */
const IMPORT_CHECK =
  "import importlib.util, site, sys; sys.path.append(site.getusersitepackages()); sys.exit(importlib.util.find_spec('nirls.server') is None)";

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

  async hasNirls(interpreter) {
    // Not the temporary folder itself, where others may put modules: Python before 3.11 knows no PYTHONSAFEPATH.
    const folder = await mkdtemp(path.join(tmpdir(), 'nirls-'));
    const found = await new Promise<boolean>((resolve) => {
      execFile(
        interpreter,
        ['-I', '-c', IMPORT_CHECK],
        { cwd: folder, env: pythonEnvironmentVariables(), timeout: IMPORT_CHECK_MILLISECONDS, windowsHide: true },
        (error) => {
          resolve(error === null);
        },
      );
    });
    await rm(folder, { recursive: true, force: true });
    return found;
  },
};
