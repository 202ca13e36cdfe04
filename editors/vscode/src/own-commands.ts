/** Commands that the extension registers itself. */
export const OWN_COMMANDS = [
  'nirls.restart',
  'nirls.installServer',
  'nirls.runPasses',
  'nirls.runShader',
  'nirls.renumber',
  'nirls.writeBugReport',
  'nirls.showOutput',
  'nirls.setLanguage',
  'nirls.showPacking',
  'nirls.previewPass',
  'nirls.whatIf',
  'nirls.showGraph',
  'nirls.showTimeline',
  'nirls.followValue',
  'nirls.showBlame',
] as const;

/** The command with which the server asks for files to be saved; it is not in the command palette. */
export const SAVE_FILES = 'nirls.saveFiles';

/** The own commands that code lenses and code actions of the server may use. */
export const LENS_COMMANDS = [
  'nirls.showPacking',
  'nirls.previewPass',
  'nirls.showTimeline',
  SAVE_FILES,
] as const satisfies readonly ((typeof OWN_COMMANDS)[number] | typeof SAVE_FILES)[];

/** The server's command that shows a change which a pass made; the server's hovers link to it. */
export const SHOW_TRANSITION = 'nirls.showTransition';

/**
 * The server's commands that the language client registers.
 *
 * The server announces `nirls.runPasses` too. Registering a command twice raises in VS Code,
 * and the server would not start.
 */
export function serverOnlyCommands(announced: readonly string[]): string[] {
  const own = new Set<string>(OWN_COMMANDS);
  return announced.filter((command) => !own.has(command));
}
