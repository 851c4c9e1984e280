const waiting: (() => void)[] = [];

function letOneOn(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(letOneOn);
}

/**
 * Waits for a turn of the event loop in which no one else who asked here continues: several pieces of work at once
 * share the delay of one, instead of adding theirs up before the next request is looked at.
 */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(letOneOn);
  });
}

/**
 * Takes turns with code that works in the event-loop turn after it was notified, as React's renderer does: two
 * notifications in neighboring turns would run in the same one.
 */
export function orderedYields(): () => Promise<void> {
  let last = Promise.resolve();
  return () => {
    last = last.then(yieldToEventLoop).then(() => new Promise<void>((resolve) => setImmediate(resolve)));
    return last;
  };
}
