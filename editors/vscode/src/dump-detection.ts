/** Number of lines searched for the first dump of a file. */
export const DETECTION_LINES = 5000;

const DUMP_START = /^shader: MESA_SHADER_[A-Z_]+\s*$/;

/** Whether one of the first lines starts a NIR dump. */
export function holdsDump(lineCount: number, lineAt: (index: number) => string): boolean {
  const last = Math.min(lineCount, DETECTION_LINES);
  for (let index = 0; index < last; index++) {
    if (DUMP_START.test(lineAt(index))) {
      return true;
    }
  }
  return false;
}

/** The pattern of file names with the extension of a path, `*.log`; undefined without one. */
export function namePattern(path: string): string | undefined {
  const extension = /[^/\\.][^/\\]*?(\.[^./\\]+)$/.exec(path)?.[1];
  return extension === undefined ? undefined : `*${extension}`;
}
