// Loaded into the server under attack by NODE_OPTIONS: measures the processor time of its main thread, and the most of
// it that passed between two turns of its event loop. Processor time doesn't depend on what else the machine does.
import { readFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

if (isMainThread && process.env.TURN_PROBE) {
  const file = `/proc/self/task/${process.pid}/schedstat`;
  /** Milliseconds of processor time of this thread. */
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
    // Turns that are still running count too.
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
