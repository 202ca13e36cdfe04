import type { ShaderTimeline } from './pass-timeline';
import type { SnapshotDiff } from './snapshot-diff';

/** The result of `nirls/valueHistory`: what the passes did to a value, in order. */
export interface ValueHistory {
  value: string;
  /** The number of the value in each dump that has it; null for an instruction without one. */
  numbers: Record<string, number | null>;
  entries: HistoryEntry[];
}

export type HistoryEvent = 'in first dump' | 'created' | 'rewritten' | 'removed';

export interface HistoryEntry {
  pass: string;
  number: number;
  event: HistoryEvent;
  /** The dump after the pass. */
  dump: number;
  line: number;
  text: string;
  /** The value that readers use instead of a removed one. */
  replacement: string | null;
}

/** The result of `nirls/blame`. */
export interface Blame {
  dump: number;
  lines: BlamedLine[];
}

/** An instruction and the pass that changed it last; `dump` is the one after that pass. */
export interface BlamedLine {
  line: number;
  text: string;
  event: HistoryEvent;
  pass: string;
  number: number;
  dump: number;
  summary: string;
}

/** What the page of the timeline asks the extension for. Dumps and lines count from 0. */
export type PageMessage =
  | { kind: 'ready' }
  | { kind: 'refresh' }
  | { kind: 'diff'; before: number; after: number }
  | { kind: 'nativeDiff'; before: number; after: number; title: string }
  | { kind: 'follow'; dump: number; value: string; function?: string }
  | { kind: 'touching'; dumps: number[]; what: string }
  | { kind: 'pressure'; dumps: number[] }
  | { kind: 'blame'; dump: number }
  | { kind: 'values'; dump: number }
  | { kind: 'open'; line: number };

/** What the extension sends to the page. */
export type ViewMessage =
  | { kind: 'timeline'; name: string; shaders: ShaderTimeline[] }
  | { kind: 'select'; dump: number; follow?: ValueHistory; blame?: boolean }
  | { kind: 'diff'; before: number; after: number; diff: SnapshotDiff | null }
  | { kind: 'history'; history: ValueHistory | null }
  /** `dumps` is null if the server could not answer. */
  | { kind: 'touching'; what: string; dumps: number[] | null }
  | { kind: 'pressure'; pressures: Record<string, number> }
  | { kind: 'blame'; blame: Blame | null }
  | { kind: 'message'; text: string };
