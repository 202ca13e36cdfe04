import { describeCounts, type Counts } from './pass-timeline';

/** The result of `nirls/preview`. Lines and dumps count from 0. */
export interface Preview {
  title: string;
  passes: string[];
  verdict: Verdict;
  dumps: PreviewedDump[];
  /** Why the dump is not linked, for the verdict `unlinked`. */
  whyNot?: string | null;
}

/** `unlinked`: linking was asked for, and the dump is linked with nothing. */
export type Verdict = 'checked' | 'unchecked' | 'refused' | 'unchanged' | 'unlinked';

export interface PreviewedDump {
  uri: string;
  file: string;
  number: number;
  line: number;
  stage: string | null;
  changed: boolean;
  before: string;
  after: string;
  counts: { before: Counts; after: Counts };
}

/** A pass as `nirls/passes` lists it. */
export interface KnownPass {
  name: string;
  summary: string;
  scope: string;
  /** Whether it changes shaders; others only analyse, and have no preview. */
  changes: boolean;
}

/** The message if there is nothing to show; undefined otherwise. */
export function whyNothing(preview: Preview): string | undefined {
  if (preview.verdict === 'unlinked') {
    return `${preview.title}: it is linked with nothing, so there is nothing to preview. ${preview.whyNot ?? ''}`.trim();
  }
  if (preview.verdict === 'refused') {
    return `${preview.title}: the result does not do the same as before, so it is not shown. The log of the server says more.`;
  }
  return preview.dumps.some(({ changed }) => changed) ? undefined : `${preview.title} changes nothing.`;
}

/** A dump in a quick pick. */
export function describeDump(dump: PreviewedDump): { label: string; description: string } {
  return {
    label: `${dump.stage ?? 'dump'} ${dump.file} (dump ${String(dump.number + 1)})`,
    description: dump.changed ? describeCounts(dump.counts.before, dump.counts.after) : 'unchanged',
  };
}

/** The title of the diff editor. */
export function diffTitle(preview: Preview, dump: PreviewedDump): string {
  const doubt = preview.verdict === 'unchecked' ? ' (unchecked)' : '';
  return `Preview ${preview.passes.join(', ')}: ${dump.stage ?? 'dump'}${doubt}`;
}
