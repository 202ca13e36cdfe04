import * as path from 'node:path';

/** A program to run, with the title shown in the progress notification. */
export interface Step {
  readonly title: string;
  readonly command: string;
  readonly args: readonly string[];
}

/** What a user runs in a checkout of nirls where the extension has no server to install, see docs/install.md. */
export const INSTALL_COMMANDS = ['python3 -m venv .venv', '.venv/bin/pip install .'] as const;

/** Exits with status 0 if nirls supports this version of Python. */
export const VERSION_CHECK = 'import sys, venv; sys.exit(sys.version_info < (3, 11))';

/** The interpreter of a virtual environment in a folder. */
export function environmentInterpreter(folder: string, platform: NodeJS.Platform): string {
  return platform === 'win32' ? path.win32.join(folder, 'Scripts', 'python.exe') : path.posix.join(folder, 'bin', 'python');
}

/** The steps that create a virtual environment with nirls; existing contents of the folder are deleted. */
export function installSteps(python: string, folder: string, source: string, platform: NodeJS.Platform): Step[] {
  const interpreter = environmentInterpreter(folder, platform);
  const pip = ['-m', 'pip', 'install', '--disable-pip-version-check', '--no-input'];
  return [
    { title: 'making an environment', command: python, args: ['-m', 'venv', '--clear', folder] },
    { title: 'installing packages', command: interpreter, args: [...pip, source] },
    { title: 'starting it once', command: interpreter, args: ['-m', 'nirls.server', '--version'] },
  ];
}
