import { describeCounts, type Counts } from './pass-timeline';

/** The result of `nirls/preview`. Lines and dumps count from 0. */
export interface Preview {
  title: string;
  passes: string[];
  verdict: Verdict;
  dumps: PreviewedDump[];
}

export type Verdict = 'checked' | 'unchecked' | 'refused' | 'unchanged';

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
}

/** The message if there is nothing to show; undefined otherwise. */
export function whyNothing(preview: Preview): string | undefined {
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
