import { type Db, groupedTransaction, transaction } from "~/core/db.server";
import { log } from "~/core/log.server";
import { insertEvents } from "../chat.repo.server";

/** Maximum delay before received text is committed, in ms. */
const GROUP_TIME = 50;
/** Delay before a failed commit is retried, in ms. */
const RETRY_TIME = 10 * GROUP_TIME;

interface Pending {
  firstId: number;
  events: string[];
}

/** Commits the events of all running answers together: 500 streams with a commit each would be too slow. */
export class EventBuffer {
  private pending = new Map<string, Pending>();
  private timer: NodeJS.Timeout | undefined;

  add(messageId: string, id: number, event: string): void {
    const group = this.pending.get(messageId);
    if (group) group.events.push(event);
    else this.pending.set(messageId, { firstId: id, events: [event] });
    if (!this.timer) this.schedule(GROUP_TIME);
  }

  pendingOf(messageId: string): Pending | undefined {
    return this.pending.get(messageId);
  }

  /** @throws if the database fails; the events stay queued */
  flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.pending.size === 0) return;
    try {
      transaction((tx) => this.insertPending(tx));
    } catch (error) {
      // Retries without waiting for another event.
      this.schedule(RETRY_TIME);
      throw error;
    }
    this.pending = new Map();
  }

  private insertPending(tx: Db): void {
    for (const [messageId, { firstId, events }] of this.pending) {
      insertEvents(tx, {
        messageId,
        firstId,
        lastId: firstId + events.length - 1,
        events: `[${events.join(",")}]`,
      });
    }
  }

  private schedule(time: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.flushTogether(), time);
  }

  /** Shares a commit with other writes. Never throws: failed events stay queued. @returns whether they are on disk */
  async flushTogether(): Promise<boolean> {
    let flushed: Map<string, Pending> | undefined;
    const work = () => {
      flushed = this.pending;
      this.flush();
    };
    const written = () => {
      flushed = undefined;
    };
    try {
      await groupedTransaction(work, { inThread: true, written });
      return true;
    } catch (error) {
      // The shared commit can fail after these writes.
      if (flushed && flushed !== this.pending) this.requeue(flushed);
      this.scheduleRetry(error);
      return false;
    }
  }

  private requeue(written: ReadonlyMap<string, Pending>): void {
    for (const [messageId, { firstId, events }] of written) {
      const newer = this.pending.get(messageId)?.events ?? [];
      this.pending.set(messageId, { firstId, events: [...events, ...newer] });
    }
  }

  private scheduleRetry(error: unknown): void {
    log.error("events of answers could not be stored; retrying", { error, count: this.pending.size });
    this.schedule(RETRY_TIME);
  }
}
