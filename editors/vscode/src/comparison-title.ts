import type { Pass, ShaderTimeline } from './pass-timeline';

/** The snapshot after a pass: `nir_opt_dce (12)`. */
export function snapshotName(shaders: readonly ShaderTimeline[], dump: number): string {
  const pass = shaders.flatMap(({ passes }) => passes).find((one) => one.dump === dump);
  return pass === undefined ? `snapshot ${String(dump + 1)}` : nameOf(pass);
}

/** The title of a pass; compared with the snapshot `base`, that of both. Snapshots of two shaders are told as such. */
export function comparisonTitle(shaders: readonly ShaderTimeline[], shader: ShaderTimeline, pass: Pass, base: number | undefined): string {
  if (base === undefined) {
    return `${nameOf(pass)}, ${shader.title}`;
  }
  const from = shaders.find(({ passes }) => passes.some(({ dump }) => dump === base));
  const names = `${snapshotName(shaders, base)} → ${nameOf(pass)}`;
  if (from === undefined || from.number === shader.number) {
    return names;
  }
  return `${names}: two shaders, ${from.title} compared with ${shader.title}`;
}

function nameOf(pass: Pass): string {
  return `${pass.name} (${String(pass.number)})`;
}
