/** Requests started in one turn of the event loop; fewer make SQLite's commits less shared. */
const PER_TURN = 4;

const waiting: (() => void)[] = [];
let started = 0;
let isScheduled = false;

function schedule(): void {
  if (isScheduled) return;
  isScheduled = true;
  setImmediate(startNext);
}

function startNext(): void {
  isScheduled = false;
  started = 0;
  while (started < PER_TURN) {
    const start = waiting.shift();
    if (!start) return;
    started++;
    schedule();
    start();
  }
}

/**
 * Runs `start`, at once or in a later turn if many requests came together: the first then have their
 * responses while the last still wait, instead of all finishing late together. Keeps the order.
 */
export function startInTurn(start: () => void): void {
  if (waiting.length > 0 || started === PER_TURN) {
    waiting.push(start);
    return;
  }
  started++;
  schedule();
  start();
}
