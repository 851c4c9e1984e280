const waiting: (() => void)[] = [];

function resumeNext(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(resumeNext);
}

/** Yields to the event loop; concurrent callers share one delay. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(resumeNext);
  });
}

/** Alternates with code that works in the event-loop tick after its notification, as React's renderer does. */
export function orderedYields(): () => Promise<void> {
  let last = Promise.resolve();
  return () => {
    last = last.then(yieldToEventLoop).then(() => new Promise<void>((resolve) => setImmediate(resolve)));
    return last;
  };
}
