import { close, fdatasync, openSync } from "node:fs";

type Callback = (error: unknown) => void;

/** Syncs a file to the disk in libuv's thread pool, one sync at a time. Calls during a sync share the next one. */
export class DiskSync {
  #descriptor: number | undefined;
  #waiting: Callback[] = [];
  #isRunning = false;
  #isClosed = false;

  /** The file may be created later, but before the first sync. */
  constructor(private readonly file: string) {}

  request(done: Callback): void {
    this.#waiting.push(done);
    if (!this.#isRunning) this.#run();
  }

  close(): void {
    this.#isClosed = true;
    if (!this.#isRunning) this.#release();
  }

  #run(): void {
    const batch = this.#waiting;
    this.#waiting = [];
    this.#isRunning = true;
    const finish = (error: unknown) => {
      this.#isRunning = false;
      if (this.#waiting.length > 0) this.#run();
      else if (this.#isClosed) this.#release();
      for (const done of batch) done(error);
    };
    try {
      this.#descriptor ??= openSync(this.file, "r+");
    } catch (error) {
      queueMicrotask(() => finish(error));
      return;
    }
    fdatasync(this.#descriptor, finish);
  }

  #release(): void {
    if (this.#descriptor !== undefined) close(this.#descriptor, () => undefined);
    this.#descriptor = undefined;
  }
}
