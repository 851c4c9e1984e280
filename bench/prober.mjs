import { setPriority } from "node:os";
import { setTimeout as delay } from "node:timers/promises";

// Requests an address until told to stop, then reports the times in ms. Pauses between requests: without them the
// requests themselves would keep the server busy.
const PAUSE = 20;
const [address = ""] = process.argv.slice(2);
const times = [];
let isOver = false;
process.once("message", () => {
  isOver = true;
});
try {
  // Raises its priority: its own scheduling delay must not count as the console's.
  setPriority(-10);
} catch {
  // Only root may raise it; otherwise the times include that delay.
}
while (!isOver) {
  const begun = performance.now();
  const response = await fetch(address);
  await response.arrayBuffer();
  if (times.push(performance.now() - begun) === 1) process.send("begun");
  await delay(PAUSE);
}
process.send(times, () => process.exit());
