/** Commands that the extension registers itself, whatever the server announces. */
export const OWN_COMMANDS = [
  'nirls.restart',
  'nirls.installServer',
  'nirls.runPasses',
  'nirls.renumber',
  'nirls.writeBugReport',
  'nirls.showOutput',
  'nirls.setLanguage',
  'nirls.showPacking',
  'nirls.previewPass',
  'nirls.whatIf',
  'nirls.showGraph',
  'nirls.showPassDiff',
  'nirls.goToPass',
  'nirls.toggleIdlePasses',
  'nirls.refreshPasses',
] as const;

/** Those of them that code lenses and code actions of the server may name. */
export const LENS_COMMANDS = ['nirls.showPacking', 'nirls.previewPass'] as const satisfies readonly (typeof OWN_COMMANDS)[number][];

/**
 * The commands of the server that the language client should register.
 *
 * The server announces `nirls.runPasses` too; the client library would register it a second time, which VS Code
 * refuses with an exception that ends the start of the server.
 */
export function serverOnlyCommands(announced: readonly string[]): string[] {
  const own = new Set<string>(OWN_COMMANDS);
  return announced.filter((command) => !own.has(command));
}
