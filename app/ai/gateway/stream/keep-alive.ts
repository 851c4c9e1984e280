/** Silence after which a stream says that it goes on, in ms: proxies close streams that are silent for a minute. */
export const KEEP_ALIVE_MS = 15_000;

type Write = (piece: Uint8Array) => Promise<void> | undefined;

/** Writes whole frames of a stream, and a sign of life whenever there was none for a while. */
export class KeepAlive {
  readonly #write: Write;
  readonly #sign: Buffer;
  readonly #timer: NodeJS.Timeout;
  #isSlow = false;

  constructor(write: Write, sign: string) {
    this.#write = write;
    this.#sign = Buffer.from(sign);
    this.#timer = setInterval(() => this.beat(), KEEP_ALIVE_MS);
  }

  /** @throws as the stream's own `write` */
  write(piece: Uint8Array): Promise<void> | undefined {
    this.#timer.refresh();
    const taken = this.#write(piece);
    if (!taken) return undefined;
    // A caller that has yet to take what was sent needs no sign.
    this.#isSlow = true;
    return taken.finally(() => {
      this.#isSlow = false;
    });
  }

  beat(): void {
    if (this.#isSlow) return;
    try {
      void this.#write(this.#sign)?.catch(() => undefined);
    } catch {
      // The caller has gone, which ends the stream itself.
      this.stop();
    }
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

/** Whether a promise is fulfilled within this time, in ms. @throws its error within it */
export async function isSettledWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
