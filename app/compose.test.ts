import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

// The console reads what strangers send: a container must not take the machine with it, nor be open unasked.
it.each([
  ["its memory", /^ {4}mem_limit: \S+$/m],
  ["its processes", /^ {4}pids_limit: \d+$/m],
  ["/tmp, where nothing can be run", /^ {6}- \/tmp:size=\d+m,\S*\bnoexec\b/m],
  ["the port to this machine unless PUBLISH is set", /^ {6}- "\$\{PUBLISH:-127\.0\.0\.1\}:/m],
  ["the file system to reading", /^ {4}read_only: true$/m],
  ["its rights", /^ {4}cap_drop:\n {6}- ALL\n {4}security_opt:\n {6}- no-new-privileges:true$/m],
])("compose.yaml limits %s", (_, line) => {
  expect(readFileSync("compose.yaml", "utf8")).toMatch(line);
});
