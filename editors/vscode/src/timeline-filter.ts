import type { Pass, ShaderTimeline } from './pass-timeline';

/** The passes to list. Empty texts select everything. */
export interface PassFilter {
  /** Passes that changed the code, the declarations or the header, and first snapshots. */
  changedOnly: boolean;
  /** Passes whose result computes something else. */
  differentOnly: boolean;
  name: string;
  stage: string;
  /** The dumps after passes that touch a value or a name; undefined if that is not asked for. */
  touching: ReadonlySet<number> | undefined;
}

export const EVERYTHING: PassFilter = { changedOnly: false, differentOnly: false, name: '', stage: '', touching: undefined };

/** The passes of a shader that a filter selects. */
export function selectedPasses(shader: ShaderTimeline, filter: PassFilter): Pass[] {
  if (filter.stage !== '' && shader.stage !== filter.stage) {
    return [];
  }
  const name = filter.name.toLowerCase();
  return shader.passes.filter(
    (pass) =>
      (!filter.changedOnly || (pass.change !== 'none' && pass.change !== 'skipped')) &&
      (!filter.differentOnly || pass.verdict?.verdict === 'different') &&
      pass.name.toLowerCase().includes(name) &&
      (filter.touching === undefined || (pass.dump !== null && filter.touching.has(pass.dump))),
  );
}

/** How far verification has come: `12 of 168 passes verified, 1 differs`. Passes without changes are not counted. */
export function verificationProgress(shaders: readonly ShaderTimeline[]): string {
  const changes = shaders.flatMap(({ passes }) => passes).filter(({ change }) => change === 'code' || change === 'declarations' || change === 'header');
  const verified = changes.filter(({ verdict }) => verdict != null);
  const different = verified.filter(({ verdict }) => verdict?.verdict === 'different').length;
  const done = verified.length === 0 && changes.length > 0 ? `none of ${String(changes.length)} verified so far` : `${String(verified.length)} of ${String(changes.length)} verified`;
  return different === 0 ? done : `${done}, ${String(different)} ${different === 1 ? 'differs' : 'differ'}`;
}

/** What an empty list says. */
export function whyNoPass(shaders: readonly ShaderTimeline[], filter: PassFilter): string {
  if (shaders.length === 0) {
    return 'There is no NIR dump in this file.';
  }
  return filter.differentOnly ? `No pass matches: ${verificationProgress(shaders)}.` : 'No pass matches.';
}

/** The stages of the shaders, each once, in order. */
export function stagesOf(shaders: readonly ShaderTimeline[]): string[] {
  return [...new Set(shaders.map(({ stage }) => stage))];
}
