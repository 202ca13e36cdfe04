const MOST = 3;
const WINDOW = 3 * 60 * 1000;

/** When a server ended by itself, to start it again only so often: three times in three minutes. */
export class Restarts {
  private times: number[] = [];

  /** Notes an end at a time in milliseconds; whether the server may be started again. */
  mayRestart(now: number): boolean {
    this.times = this.times.filter((time) => now - time < WINDOW);
    this.times.push(now);
    return this.times.length <= MOST;
  }
}
