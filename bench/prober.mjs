import { setPriority } from "node:os";

// Asks an address again and again until it is told to stop, then answers the times in ms.
const [address = ""] = process.argv.slice(2);
const times = [];
let isOver = false;
process.once("message", () => {
  isOver = true;
});
try {
  // Its own wait for a processor isn't the console's delay.
  setPriority(-10);
} catch {
  // Only root may; the times then have that wait too.
}
while (!isOver) {
  const begun = performance.now();
  const response = await fetch(address);
  await response.arrayBuffer();
  if (times.push(performance.now() - begun) === 1) process.send("begun");
}
process.send(times, () => process.exit());
