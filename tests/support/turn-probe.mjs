// Loaded by NODE_OPTIONS: measures the main thread's processor time and its longest event-loop tick, independent of
// other load.
import { readFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

if (isMainThread && process.env.TURN_PROBE) {
  const file = `/proc/self/task/${process.pid}/schedstat`;
  /** In ms. */
  const used = () => Number(readFileSync(file, "utf8").split(" ", 1)[0]) / 1e6;
  let began = used();
  let last = began;
  let longest = 0;
  setInterval(() => {
    const at = used();
    longest = Math.max(longest, at - last);
    last = at;
  }, 1).unref();
  process.on("SIGUSR2", () => {
    // Includes running turns.
    setTimeout(() => {
      const at = used();
      process.stderr.write(
        `@turns ${JSON.stringify({ used: at - began, longest: Math.max(longest, at - last) })}\n`,
      );
      began = used();
      last = began;
      longest = 0;
    }, 5);
  });
}
