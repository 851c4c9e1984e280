import { type Db, groupedTransaction, transaction } from "~/core/db.server";
import { log } from "~/core/log.server";
import { insertEvents } from "../chat.repo.server";

/** How long received text may wait for its commit, in milliseconds. */
const GROUP_TIME = 50;
/** Between a commit that failed and the next try, in milliseconds. */
const RETRY_TIME = 10 * GROUP_TIME;

interface Pending {
  firstId: number;
  /** Events as JSON, one per id from `firstId` on. */
  events: string[];
}

/**
 * Writes the events of all running answers in one transaction per group time: with 500 streams, a commit for each
 * would take longer than the time between two.
 */
export class Journal {
  private pending = new Map<string, Pending>();
  private timer: NodeJS.Timeout | undefined;

  add(messageId: string, id: number, event: string): void {
    const group = this.pending.get(messageId);
    if (group) group.events.push(event);
    else this.pending.set(messageId, { firstId: id, events: [event] });
    if (!this.timer) this.arm(GROUP_TIME);
  }

  /** Events of one answer that aren't committed yet. */
  pendingOf(messageId: string): Pending | undefined {
    return this.pending.get(messageId);
  }

  /** Commits what waits. @throws when the database refuses; the events then wait for the next try */
  flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.pending.size === 0) return;
    try {
      transaction((tx) => this.insertPending(tx));
    } catch (error) {
      // Independent of the caller: waiting events mustn't depend on another event's arrival.
      this.arm(RETRY_TIME);
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

  private arm(time: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.flushTogether(), time);
  }

  /** Commits what waits together with the turn's other commits. It never throws: what fails waits for the next try. */
  async flushTogether(): Promise<void> {
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
    } catch (error) {
      // The common commit can fail after these were written into it.
      if (flushed && flushed !== this.pending) this.takeBack(flushed);
      this.tryLater(error);
    }
  }

  private takeBack(written: ReadonlyMap<string, Pending>): void {
    for (const [messageId, { firstId, events }] of written) {
      const newer = this.pending.get(messageId)?.events ?? [];
      this.pending.set(messageId, { firstId, events: [...events, ...newer] });
    }
  }

  private tryLater(error: unknown): void {
    log.error("answers could not be written; trying again", { error, count: this.pending.size });
    this.arm(RETRY_TIME);
  }
}
