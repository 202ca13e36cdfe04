/** Settings that the client reads. The server requests the section `nirls` itself. */
export interface LaunchSettings {
  /** The `nirls` program; empty when not set. */
  readonly path: string;
  /** A Python interpreter with nirls installed; empty when not set. */
  readonly interpreter: string;
}

/** Values of `${...}` in settings. */
export interface Substitutions {
  readonly home: string;
  /** The first workspace folder; undefined in an empty window. */
  readonly workspaceFolder: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Settings whose change requires a new search for the server. */
export const LAUNCH_SETTINGS = ['nirls.path', 'nirls.interpreter'] as const;

/**
 * Replaces a leading `~`, `${userHome}`, `${workspaceFolder}` and `${env:NAME}`.
 * Unknown variables are kept, so that the error message shows them.
 */
export function expandSetting(value: string, substitutions: Substitutions): string {
  const trimmed = value.trim();
  const withHome = /^~(?=$|[\\/])/.test(trimmed) ? substitutions.home + trimmed.slice(1) : trimmed;
  return withHome.replace(/\$\{(userHome|workspaceFolder|env:([^}]+))\}/g, (whole: string, name: string, variable?: string) => {
    if (variable !== undefined) {
      return substitutions.environment[variable] ?? '';
    }
    return (name === 'userHome' ? substitutions.home : substitutions.workspaceFolder) ?? whole;
  });
}

/** The launch settings with variables expanded. `read` returns the raw value of a setting below `nirls.`, or undefined. */
export function readLaunchSettings(read: (name: string) => unknown, substitutions: Substitutions): LaunchSettings {
  const text = (name: string): string => {
    const value = read(name);
    return typeof value === 'string' ? expandSetting(value, substitutions) : '';
  };
  return { path: text('path'), interpreter: text('interpreter') };
}
