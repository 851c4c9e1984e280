// Loaded by NODE_OPTIONS: the first SIGUSR2 begins a profile of the main thread, the second writes it to PROFILE_FILE.
import { writeFileSync } from "node:fs";
import { Session } from "node:inspector";
import { isMainThread } from "node:worker_threads";

if (isMainThread && process.env.PROFILE_FILE) {
  const session = new Session();
  let isRunning = false;
  session.connect();
  session.post("Profiler.enable");
  // Each 200 µs.
  session.post("Profiler.setSamplingInterval", { interval: 200 });
  process.on("SIGUSR2", () => {
    isRunning = !isRunning;
    if (isRunning) session.post("Profiler.start", () => process.stderr.write("@profiling\n"));
    else
      session.post("Profiler.stop", (_error, { profile }) => {
        writeFileSync(process.env.PROFILE_FILE ?? "", JSON.stringify(profile));
        process.stderr.write("@profiled\n");
      });
  });
}
