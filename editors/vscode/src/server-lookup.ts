import * as path from 'node:path';
import type { LaunchSettings } from './settings';

/** Where a server was looked for, in the order of the search. */
export type ServerSource =
  | 'nirls.path'
  | 'nirls.interpreter'
  | 'Python environment'
  | 'PATH'
  | 'installed by the extension'
  | 'bundled with the extension';

/** How to start the server that was found. */
export interface Launch {
  readonly source: ServerSource;
  readonly command: string;
  readonly args: readonly string[];
}

/** A place without a server, and why. */
export interface Attempt {
  readonly source: ServerSource;
  readonly reason: string;
}

export type Lookup =
  | { readonly kind: 'found'; readonly launch: Launch }
  | { readonly kind: 'missing'; readonly attempts: readonly Attempt[] };

/** The questions that the search asks the machine. */
export interface Probes {
  isExecutable(file: string): Promise<boolean>;
  /** Whether `import nirls.server` would find a module in this interpreter. */
  hasNirls(interpreter: string): Promise<boolean>;
}

export interface SearchPath {
  /** The value of the environment variable PATH. */
  readonly value: string;
  readonly platform: NodeJS.Platform;
}

/** Places that belong to the extension, looked at last. */
export interface OwnPlaces {
  /** The interpreter of the environment that "Install Language Server" makes. */
  readonly interpreter: string;
  /** The program that comes with the extension for one platform. */
  readonly bundled: string;
}

const SERVER_MODULE = ['-m', 'nirls.server', 'serve'] as const;

/**
 * Finds the server: the settings first, then the selected Python environment, PATH, and what the extension has itself.
 *
 * A setting that names something unusable ends the search: a server from elsewhere would hide the mistake.
 *
 * @param pythonEnvironment the interpreter selected in the Python extension, undefined without one
 */
export async function findServer(
  settings: LaunchSettings,
  pythonEnvironment: string | undefined,
  searchPath: SearchPath,
  own: OwnPlaces,
  probes: Probes,
): Promise<Lookup> {
  if (settings.path !== '') {
    return findNamedProgram(settings.path, searchPath, probes);
  }
  if (settings.interpreter !== '') {
    return findNamedInterpreter(settings.interpreter, searchPath, probes);
  }

  const attempts: Attempt[] = [];
  if (pythonEnvironment === undefined) {
    attempts.push({ source: 'Python environment', reason: 'no environment is selected in the Python extension' });
  } else if (await probes.hasNirls(pythonEnvironment)) {
    return found('Python environment', pythonEnvironment, SERVER_MODULE);
  } else {
    attempts.push({ source: 'Python environment', reason: `nirls is not installed in ${pythonEnvironment}` });
  }

  const program = await findOnPath('nirls', searchPath, probes);
  if (program !== undefined) {
    return found('PATH', program, ['serve']);
  }
  attempts.push({ source: 'PATH', reason: 'there is no program called nirls' });

  if ((await probes.isExecutable(own.interpreter)) && (await probes.hasNirls(own.interpreter))) {
    return found('installed by the extension', own.interpreter, SERVER_MODULE);
  }
  if (await probes.isExecutable(own.bundled)) {
    return found('bundled with the extension', own.bundled, ['serve']);
  }
  return { kind: 'missing', attempts };
}

/** The full name of a program on PATH, or undefined. Relative entries of PATH are passed over: they depend on the folder. */
export async function findOnPath(program: string, searchPath: SearchPath, probes: Probes): Promise<string | undefined> {
  const windows = searchPath.platform === 'win32';
  const host = windows ? path.win32 : path.posix;
  // A .cmd or .bat would need a shell; pip installs an .exe.
  const names = windows && host.extname(program) === '' ? [`${program}.exe`, `${program}.com`] : [program];
  for (const folder of searchPath.value.split(host.delimiter)) {
    if (!host.isAbsolute(folder)) {
      continue;
    }
    for (const name of names) {
      const file = host.join(folder, name);
      if (await probes.isExecutable(file)) {
        return file;
      }
    }
  }
  return undefined;
}

/** One sentence a place, for the message when there is no server. */
export function describeMissingServer(attempts: readonly Attempt[]): string {
  const places = attempts.map((attempt) => `${attempt.source}: ${attempt.reason}.`);
  return `The NIR language server was not found. ${places.join(' ')}`;
}

/** The command line of a server, for the log and the status bar. */
export function describeLaunch(launch: Launch): string {
  return [launch.command, ...launch.args].join(' ');
}

async function findNamedProgram(program: string, searchPath: SearchPath, probes: Probes): Promise<Lookup> {
  const file = await resolveProgram(program, searchPath, probes);
  if (file === undefined) {
    return missing('nirls.path', `${program} is not a program`);
  }
  return found('nirls.path', file, ['serve']);
}

async function findNamedInterpreter(interpreter: string, searchPath: SearchPath, probes: Probes): Promise<Lookup> {
  const file = await resolveProgram(interpreter, searchPath, probes);
  if (file === undefined) {
    return missing('nirls.interpreter', `${interpreter} is not a program`);
  }
  if (!(await probes.hasNirls(file))) {
    return missing('nirls.interpreter', `nirls is not installed in ${file}`);
  }
  return found('nirls.interpreter', file, SERVER_MODULE);
}

async function resolveProgram(program: string, searchPath: SearchPath, probes: Probes): Promise<string | undefined> {
  if (!/[\\/]/.test(program)) {
    return findOnPath(program, searchPath, probes);
  }
  return (await probes.isExecutable(program)) ? program : undefined;
}

function found(source: ServerSource, command: string, args: readonly string[]): Lookup {
  return { kind: 'found', launch: { source, command, args } };
}

function missing(source: ServerSource, reason: string): Lookup {
  return { kind: 'missing', attempts: [{ source, reason }] };
}
