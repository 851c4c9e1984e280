const waiting: (() => void)[] = [];

function letOneOn(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(letOneOn);
}

/** Yields to the event loop; concurrent callers share one delay. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(letOneOn);
  });
}

/**
 * Alternates with code that works in the event-loop turn after its notification, as React's renderer does.
 */
export function orderedYields(): () => Promise<void> {
  let last = Promise.resolve();
  return () => {
    last = last.then(yieldToEventLoop).then(() => new Promise<void>((resolve) => setImmediate(resolve)));
    return last;
  };
}
