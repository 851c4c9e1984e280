import { lockDataDir } from "~/core/data-folder.server";

// Locks a data folder until killed.
await lockDataDir(process.argv[2] ?? "", 0);
process.stdout.write("held\n");
setInterval(() => {}, 60_000);
