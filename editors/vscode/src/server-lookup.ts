import * as path from 'node:path';
import type { LaunchSettings } from './settings';

/** Sources of a server, in search order. */
export type ServerSource =
  | 'nirls.path'
  | 'nirls.interpreter'
  | 'Python environment'
  | 'PATH'
  | 'installed by the extension'
  | 'bundled with the extension';

/** The command that starts a server. */
export interface Launch {
  readonly source: ServerSource;
  readonly command: string;
  readonly args: readonly string[];
}

/** A source without a usable server, and the reason. */
export interface Attempt {
  readonly source: ServerSource;
  readonly reason: string;
}

export type Lookup =
  | { readonly kind: 'found'; readonly launch: Launch }
  | { readonly kind: 'missing'; readonly attempts: readonly Attempt[] };

/** Queries about the machine. */
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

/** Servers of the extension itself, tried last. */
export interface OwnPlaces {
  /** The interpreter of the environment that "Install Language Server" creates. */
  readonly interpreter: string;
  /** The server that platform-specific packages of the extension contain. */
  readonly bundled: string;
}

const SERVER_MODULE = ['-m', 'nirls.server', 'serve'] as const;

/**
 * Finds the server: settings, selected Python environment, PATH, then the servers of the extension itself.
 *
 * A setting with an unusable value ends the search, so that the mistake is visible.
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

/** The path of a program on PATH, or undefined. Relative entries of PATH are skipped: they may lead into the workspace. */
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

/** The message for a failed search, with one sentence for each source. */
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
